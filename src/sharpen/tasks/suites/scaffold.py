"""A suite of one's own, written so that it runs before anything is changed in it.

A small package: suite, texts, a dozen items, a test, and the entry point under which sharpen finds it once
it is installed. Before that it goes by MODULE:SUITE.
"""

from __future__ import annotations

import re
from pathlib import Path

from sharpen.errors import SettingsError
from sharpen.tasks.prompting import packaged

_NAME = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")
_FILES = {
    "pyproject.toml": "pyproject.toml.txt",
    "README.md": "README.md.txt",
    "{module}/__init__.py": "suite.py.txt",
    "{module}/texts/{name}/prompt.md": "prompt.md.txt",
    "{module}/texts/{name}/skill.md": "skill.md.txt",
    "{module}/texts/{name}/config.yaml": "config.yaml.txt",
    "data/items.jsonl": "items.jsonl.txt",
    "tests/test_suite.py": "test_suite.py.txt",
}


def scaffold(name: str, folder: Path) -> list[Path]:
    """Writes the package into `folder`, which must be new or empty; the files it wrote."""
    if not _NAME.fullmatch(name):
        raise SettingsError(
            f"a suite's name has small letters, digits and single dashes, such as tickets-2, not {name!r}"
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise SettingsError(f"{folder} is not empty; name a new folder for the suite")
    module = f"{name.replace('-', '_')}_suite"
    written = []
    for target, template in _FILES.items():
        path = folder / target.format(name=name, module=module)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = packaged("sharpen.tasks.suites", f"template/{template}")
        path.write_text(text.replace("{{name}}", name).replace("{{module}}", module), encoding="utf-8")
        written.append(path)
    return written
