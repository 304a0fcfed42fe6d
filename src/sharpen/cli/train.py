"""`sharpen train`: one skill trained against scored tasks; running it again goes on where it was."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from sharpen.cli import options
from sharpen.cli.config.typed import resolve, words_of
from sharpen.cli.config.writing import as_yaml
from sharpen.cli.forecast import Forecast
from sharpen.cli.judges import heard_again
from sharpen.cli.outcome import facts_of
from sharpen.cli.problem import Given, Problem, budget_for, limits_of
from sharpen.cli.steps import Narrator
from sharpen.cli.terminal import print_facts, print_json, say
from sharpen.errors import UsageError
from sharpen.train import TrainResult, TrainSettings, make_plan, train
from sharpen.train.settings import GateName, LoopName
from sharpen.types import Budget, Teacher, digest_of, fingerprint_of

CONFIG = "config.yaml"
"""Beside a run that was configured: the file that says the same again, without secrets."""


def command(
    context: typer.Context,
    skill: Annotated[
        str | None,
        typer.Argument(
            metavar="SKILL", help="A Markdown file or a skill folder; a simulated world has its own."
        ),
    ] = None,
    overrides: options.Overrides = None,
    config: options.Config = None,
    cfg_options: options.CfgOptions = None,
    preset: options.Preset = None,
    tasks: options.Tasks = None,
    student: options.Student = None,
    student_option: options.StudentOptions = None,
    scorer: options.Scorer = None,
    judge: options.Judge = None,
    teacher: options.Teacher = None,
    teacher_option: options.TeacherOptions = None,
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
    student_options, teacher_options = tuple(student_option or ()), tuple(teacher_option or ())
    given = Given(tasks, student, teacher, simulated, seed, scorer, student_options, teacher_options, judge)
    paths, words = words_of([skill, *(overrides or ())], paths=1)
    start = paths[0] if paths else None
    resolved = resolve(context, config, [*(cfg_options or ()), *words], preset)
    if resolved is None:
        problem = given.problem(start, taught=True)
        typed = limits_of(budget, calls, tokens, usd, seconds)
        limits = budget_for(problem, typed)
        if typed is None and not quiet:
            say(f"no limit was set: at most {limits.rollouts} rollouts; --budget says else")
        settings = TrainSettings(
            seed=seed, metric=metric, gate=gate, loop=loop, lanes=lanes, concurrency=concurrency
        )
        name = _name_of(start, problem)
    else:
        from sharpen.cli.configured import configured  # brings the suites with it

        found = configured(resolved, given, start, taught=True)
        problem, limits, settings = found.problem, found.budget, found.settings
        name, run = found.suite or _name_of(start, problem), run or found.folder
        for note in () if quiet else found.notes:
            say(note)
    if dry_run:
        _forecast(problem, limits, settings, json=json)
        return
    folder = run or _folder(name, problem, limits, settings)
    if not quiet:
        say(f"{problem.in_words}; run folder {folder}")
        if settings.gate == "race":
            say(_forecast_of(problem, limits, settings).in_a_line)
    try:
        result = train_aloud(problem, limits, settings, folder, quiet=quiet)
    finally:
        if resolved is not None and folder.is_dir():
            (folder / CONFIG).write_text(as_yaml(resolved), encoding="utf-8")
    heard = heard_again(problem)
    if json:
        judged = {"judge": heard.as_json()} if heard else {}
        print_json({"run": str(folder), "simulated": problem.world is not None, **result.as_json(), **judged})
    else:
        facts = facts_of(
            result, start=problem.skill, run=folder, budget=limits, simulated=problem.world is not None
        )
        print_facts([*facts, *(heard.facts() if heard else ())])


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


def _forecast_of(problem: Problem, budget: Budget, settings: TrainSettings) -> Forecast:
    tasks = problem.tasks
    sizes = {"train": len(tasks.train), "selection": len(tasks.selection), "test": len(tasks.test)}
    return Forecast(make_plan(budget, tasks, lanes=settings.lanes), sizes)


def _forecast(problem: Problem, budget: Budget, settings: TrainSettings, *, json: bool) -> None:
    forecast = _forecast_of(problem, budget, settings)
    if json:
        print_json(forecast.as_json())
        return
    for line in forecast.lines():
        typer.echo(line)


def _name_of(skill: Path | None, problem: Problem) -> str:
    if skill is None:
        return f"simulated-{problem.world}" if problem.world else "run"
    return (skill.resolve().parent if skill.name == "SKILL.md" else skill.resolve()).stem


def _folder(name: str, problem: Problem, budget: Budget, settings: TrainSettings) -> Path:
    """The same command finds the same folder; another configuration gets one of its own."""
    actors = [fingerprint_of(problem.student), fingerprint_of(problem.teacher)]
    what = digest_of(problem.skill.digest, problem.tasks.digest, actors, asdict(budget), settings.as_json())
    return Path("runs", f"{name}-{what[:8]}")


def _teacher(problem: Problem) -> Teacher:
    if problem.teacher is None:
        raise UsageError("--teacher missing")
    return problem.teacher
