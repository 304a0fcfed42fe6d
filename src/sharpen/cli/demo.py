"""`sharpen demo`: a whole training run in a simulated world, for a first look."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from sharpen.cli.options import Quiet
from sharpen.cli.outcome import facts_of
from sharpen.cli.problem import Given, budget_for
from sharpen.cli.steps import Narrator
from sharpen.cli.terminal import print_facts, say
from sharpen.train import TrainSettings, train

WORLD = "slip.1"
"""The demo's world: twelve rules to find, and one attempt in ten ends the wrong way by chance."""


def command(
    simulated: Annotated[
        bool, typer.Option("--simulated", help="Insist on the simulated world (so far the only demo).")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", help="Another seed, another world.")] = 0,
    world: Annotated[str, typer.Option("--world", help="Which simulated world.")] = WORLD,
    run: Annotated[
        Path | None, typer.Option("--run", "-r", help="Run folder; runs/demo-SEED if not given.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Train a skill in a simulated world, in seconds and without a model.

    Student and teacher are programs whose truth is known, so nothing is called and nothing is paid. What is
    real is everything else: search, gate, statistics, store, and the run folder it leaves behind.
    """
    problem = Given(simulated=world, seed=seed).problem(None, taught=True)
    assert problem.teacher is not None
    run = run or Path("runs", f"demo-{seed}" if world == WORLD else f"demo-{world}-{seed}")
    budget = budget_for(problem, None)
    say(f"simulated student and teacher, {problem.in_words}; run folder {run}")
    with Narrator(budget, quiet=quiet) as narrator:
        settings = TrainSettings(seed=seed, on_event=narrator.on_event)
        student = narrator.watch(problem.student)
        result = train(problem.skill, problem.tasks, student, problem.teacher, budget, settings, run)
    if not narrator.events:
        say("this run was finished before: nothing was run, here is its result")
    say("")
    typer.echo(result.skill.text)
    print_facts(facts_of(result, start=problem.skill, run=run, simulated=True))
    say("\nlook at it:")
    for verb in ("show", "report", "blame", "diff"):
        say(f"  {_program()} {verb} {run}")


def _program() -> str:
    """What to type here: the command is not on the path when only make installed it."""
    if shutil.which("sharpen"):
        return "sharpen"
    python = Path(sys.executable)
    here = python.relative_to(Path.cwd()) if python.is_relative_to(Path.cwd()) else python
    return f"{here} -m sharpen"
