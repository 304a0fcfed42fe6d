"""What a run looks like to a person: worked out once, shown as a page, in a terminal or as JSON.

`load_run` reads a run folder into a `RunView`; `render_html`, `render_terminal` and `runs_table` show it.
Start with `view.py`; `record.py` is what is read, and each other module makes or draws one part of the view.
"""

from sharpen.report.html import render_html
from sharpen.report.terminal import render_terminal, runs_table
from sharpen.report.view import RunView, load_run

__all__ = ["RunView", "load_run", "render_html", "render_terminal", "runs_table"]
