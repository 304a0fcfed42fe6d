"""The program: its verbs, how they are found, and how errors become exit codes.

A verb's module is imported when the verb is typed, so that `sharpen --help` does not load the library. The
help lines here are the first lines of the verbs' own help; a test keeps them equal.
"""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperGroup

from sharpen import __version__
from sharpen.errors import SharpenError

TRAIN, LOOK, SKILL, HERE = "Train and judge", "Look at runs", "Skill files", "This installation"
TRACES = "Sessions of agents"
STOPPED = 130
"""128 + SIGINT, as shells count."""


class Verb(NamedTuple):
    """One row of the program's table of contents."""

    name: str
    module: str
    panel: str
    help: str


VERBS = (
    Verb(
        "demo",
        "demo",
        TRAIN,
        "Train skills for a real language model on this machine, and see one honestly refused.",
    ),
    Verb("train", "train", TRAIN, "Train a skill against scored tasks."),
    Verb("eval", "evaluate", TRAIN, "Measure a skill, or compare it with another one, task by task."),
    Verb("check", "check", TRAIN, "Run a skill against itself: how noisy is the measurement?"),
    Verb("estimate", "estimate", TRAIN, "Say what a budget would buy, without a call."),
    Verb("config", "configuration", TRAIN, "Show what a configuration file means, here or in SkillOpt."),
    Verb(
        "prune",
        "prune",
        TRAIN,
        "Say for every part of a skill whether it is worth its place, by leaving it out.",
    ),
    Verb(
        "suites",
        "suites",
        TRAIN,
        "List the benchmarks, show one, get its data, or write a suite of your own.",
    ),
    Verb("show", "show", LOOK, "Show a run: status, scores, spend and the verdict of each step."),
    Verb("runs", "runs", LOOK, "List the runs in a folder."),
    Verb("report", "report", LOOK, "Write a run as one self-contained HTML file."),
    Verb("rebuild", "rebuild", LOOK, "Write a run's readable files again from its database."),
    Verb(
        "harvest",
        "harvest",
        TRACES,
        "Read the sessions of coding agents into one file, without their secrets.",
    ),
    Verb("traces", "traces", TRACES, "List, show, count, export or forget harvested sessions."),
    Verb("diff", "diff", SKILL, "Show what changed between two skills."),
    Verb("blame", "blame", SKILL, "Say for every line of a skill where it came from."),
    Verb("lint", "lint", SKILL, "Look skills over: will clients read them as they are meant?"),
    Verb("export", "export", SKILL, "Write a skill as a folder that clients load."),
    Verb("install", "install", SKILL, "Put skills and their event rules where coding agents look."),
    Verb("uninstall", "uninstall", SKILL, "Take installed skills, rules and hooks out again."),
    Verb("hook", "hook", SKILL, "Show which event rules spoke, when, and whether the failure came back."),
    Verb("models", "models", HERE, "List the models that run on this machine, or get one."),
    Verb("doctor", "doctor", HERE, "Check that sharpen can work here."),
)


class Verbs(TyperGroup):
    """Loads a verb when it is typed, and ends the program in one way for every kind of error."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, _, rest = super().resolve_command(ctx, args)
        return name, load(str(name)), rest

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except SharpenError as error:
            typer.secho("error: ", fg="red", bold=True, nl=False, err=True)
            typer.echo(str(error), err=True)
            raise typer.Exit(error.exit_code) from error
        except KeyboardInterrupt as error:
            typer.echo("\nstopped; run the same command again to go on", err=True)
            raise typer.Exit(STOPPED) from error


def load(name: str) -> Any:
    """The verb as typer runs it."""
    verb = next(verb for verb in VERBS if verb.name == name)
    alone = typer.Typer(add_completion=False)
    alone.command(name)(import_module(f"sharpen.cli.{verb.module}").command)
    return typer.main.get_command(alone)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sharpen {__version__}")
        raise typer.Exit


app = typer.Typer(
    cls=Verbs,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,  # a bug shows Python's own traceback, without the values of variables
)


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", "-V", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Train agent skills by measurement.

    Exit codes: 0 done, 1 something failed, 2 a mistake in what was typed or given, 3 student or teacher
    stayed down, 4 the budget is too small to decide anything, 130 stopped.
    """


def _not_loaded() -> None:
    """Stands in the table of contents until the verb itself is loaded."""


for verb in VERBS:
    app.command(verb.name, help=verb.help, rich_help_panel=verb.panel)(_not_loaded)
