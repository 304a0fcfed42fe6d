"""`sharpen train`: one skill trained against scored tasks; running it again goes on where it was."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from sharpen.cli import options
from sharpen.cli.forecast import Forecast
from sharpen.cli.outcome import facts_of
from sharpen.cli.problem import Given, Problem, budget_for, limits_of
from sharpen.cli.steps import Narrator
from sharpen.cli.terminal import print_facts, print_json, say
from sharpen.errors import UsageError
from sharpen.train import TrainResult, TrainSettings, make_plan, train
from sharpen.train.settings import GateName, LoopName
from sharpen.types import Budget, Teacher, digest_of, fingerprint_of


def command(
    skill: Annotated[
        Path | None,
        typer.Argument(
            metavar="SKILL", help="A Markdown file or a skill folder; a simulated world has its own."
        ),
    ] = None,
    tasks: options.Tasks = None,
    student: options.Student = None,
    student_option: options.StudentOptions = None,
    scorer: options.Scorer = "exact",
    teacher: options.Teacher = None,
    simulated: options.Simulated = None,
    budget: options.Rollouts = None,
    calls: options.Calls = None,
    tokens: options.Tokens = None,
    usd: options.Usd = None,
    seconds: options.Seconds = None,
    run: Annotated[
        Path | None,
        typer.Option(
            "--run",
            "-r",
            help="Run folder; if not given, runs/NAME-CONFIGURATION.",
            rich_help_panel=options.HOW,
        ),
    ] = None,
    seed: options.Seed = 0,
    metric: options.Metric = "hard",
    gate: Annotated[
        GateName, typer.Option(help="What lets a candidate in.", rich_help_panel=options.HOW)
    ] = "race",
    loop: Annotated[
        LoopName, typer.Option(help="How candidates are made.", rich_help_panel=options.HOW)
    ] = "draft",
    lanes: Annotated[
        int | None, typer.Option(help="Tasks worked on side by side.", rich_help_panel=options.HOW)
    ] = None,
    concurrency: options.Concurrency = 16,
    dry_run: options.DryRun = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Train a skill against scored tasks.

    The search works on the train split, the gate decides on the selection split, the test split is looked at
    once at the end. Stopping is safe at any moment: the same command goes on, and nothing is paid for twice.
    """
    given = Given(tasks, student, teacher, simulated, seed, scorer, tuple(student_option or ()))
    problem = given.problem(skill, taught=True)
    limits = budget_for(problem, limits_of(budget, calls, tokens, usd, seconds))
    settings = TrainSettings(
        seed=seed, metric=metric, gate=gate, loop=loop, lanes=lanes, concurrency=concurrency
    )
    if dry_run:
        _forecast(problem, limits, settings, json=json)
        return
    folder = run or _folder(skill, problem, limits, settings)
    if not quiet:
        say(f"{problem.in_words}; run folder {folder}")
    result = train_aloud(problem, limits, settings, folder, quiet=quiet)
    if json:
        print_json({"run": str(folder), "simulated": problem.world is not None, **result.as_json()})
    else:
        print_facts(
            facts_of(
                result, start=problem.skill, run=folder, budget=limits, simulated=problem.world is not None
            )
        )


def train_aloud(
    problem: Problem, budget: Budget, settings: TrainSettings, folder: Path, *, quiet: bool
) -> TrainResult:
    """Train, and tell on stderr what happens while it does."""
    with Narrator(budget, quiet=quiet) as narrator:
        told = replace(settings, on_event=narrator.on_event)
        student, teacher = narrator.watch(problem.student), _teacher(problem)
        result = train(problem.skill, problem.tasks, student, teacher, budget, told, folder)
    if not narrator.events:
        say("this run was finished before: nothing was run, here is its result")
    return result


def _forecast(problem: Problem, budget: Budget, settings: TrainSettings, *, json: bool) -> None:
    tasks = problem.tasks
    sizes = {"train": len(tasks.train), "selection": len(tasks.selection), "test": len(tasks.test)}
    forecast = Forecast(make_plan(budget, tasks, lanes=settings.lanes), sizes)
    if json:
        print_json(forecast.as_json())
        return
    for line in forecast.lines():
        typer.echo(line)


def _folder(skill: Path | None, problem: Problem, budget: Budget, settings: TrainSettings) -> Path:
    """The same command finds the same folder; another configuration gets one of its own."""
    if skill is None:
        name = f"simulated-{problem.world}"
    else:
        name = (skill.resolve().parent if skill.name == "SKILL.md" else skill.resolve()).stem
    actors = [fingerprint_of(problem.student), fingerprint_of(problem.teacher)]
    what = digest_of(problem.skill.digest, problem.tasks.digest, actors, asdict(budget), settings.as_json())
    return Path("runs", f"{name}-{what[:8]}")


def _teacher(problem: Problem) -> Teacher:
    if problem.teacher is None:
        raise UsageError("--teacher missing")
    return problem.teacher
