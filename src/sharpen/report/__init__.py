"""What a run looks like to a person: worked out once, shown as a page, in a terminal or as JSON.

`load_run` reads a run folder into a `RunView`; `render_html`, `render_terminal` and `runs_table` show it. A
folder that SkillOpt made is read by `load_skillopt` and shown by `render_skillopt`.
Start with `view.py`; `record.py` is what is read, and each other module makes or draws one part of the view.
"""

from sharpen.report.html import render_html
from sharpen.report.skillopt import SkillOptRun, is_skillopt_run, load_skillopt
from sharpen.report.skillopt_screen import render_skillopt
from sharpen.report.table import runs_table
from sharpen.report.terminal import render_terminal
from sharpen.report.view import RunView, load_run

__all__ = [
    "RunView",
    "SkillOptRun",
    "is_skillopt_run",
    "load_run",
    "load_skillopt",
    "render_html",
    "render_skillopt",
    "render_terminal",
    "runs_table",
]
