"""`sharpen show`: a run in the terminal, live or finished."""

from __future__ import annotations

from sharpen import report
from sharpen.cli import options, terminal
from sharpen.cli.terminal import print_json
from sharpen.cli.texts import view_of

PIPE_WIDTH = 110
"""Columns of the drawing when it goes into a file."""


def command(run: options.RunFolder, json: options.Json = False) -> None:
    """Show a run: status, scores, spend and the verdict of each step.

    It reads beside a run that is still going and never disturbs it. A folder that SkillOpt made is shown as
    far as its files tell.
    """
    if report.is_skillopt_run(run):
        foreign = report.load_skillopt(run)
        told, drawing = foreign.as_json(), report.render_skillopt(foreign)
    else:
        view = view_of(run)
        told, drawing = view.as_json(), report.render_terminal(view)
    if json:
        print_json(told)
    else:
        terminal.show(drawing, width=PIPE_WIDTH)
