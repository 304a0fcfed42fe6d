"""Benchmarks as suites: one file each says how its rows become tasks and how answers are scored.

Data are not shipped; `fetch` gets them, with checksums. `scaffold` writes a suite of your own that runs.
"""

from sharpen.tasks.suites.fetch import fetch
from sharpen.tasks.suites.registry import SUITES, suite_named, suite_names
from sharpen.tasks.suites.rows import Row
from sharpen.tasks.suites.scaffold import scaffold
from sharpen.tasks.suites.sources import Source
from sharpen.tasks.suites.suite import Opened, Suite, Tools

__all__ = [
    "SUITES",
    "Opened",
    "Row",
    "Source",
    "Suite",
    "Tools",
    "fetch",
    "scaffold",
    "suite_named",
    "suite_names",
]
