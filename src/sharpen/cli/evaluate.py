"""`sharpen eval`: one skill measured, or two skills compared on the same tasks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from sharpen.cli import options
from sharpen.cli.problem import Given, Problem, limits_of
from sharpen.cli.progress import attempts_bar
from sharpen.cli.steps import estimate_in_words, signed
from sharpen.cli.terminal import print_facts, print_json, say
from sharpen.cli.texts import skill_at
from sharpen.errors import UsageError
from sharpen.evaluate import Compared, Evaluated, EvaluateSettings, compare, evaluate
from sharpen.skills import Skill

EXIT_CODES = {"better": 0, "not better": 10, "not enough data": 11}
"""What a comparison ends with, so that a script can act on it."""


def command(
    skill: Annotated[
        Path | None,
        typer.Argument(
            metavar="SKILL", help="A Markdown file, a skill folder or a run folder (its best skill)."
        ),
    ] = None,
    other: Annotated[Path | None, typer.Argument(metavar="OTHER", help="What to compare it with.")] = None,
    tasks: options.Tasks = None,
    student: options.Student = None,
    student_option: options.StudentOptions = None,
    scorer: options.Scorer = "exact",
    simulated: options.Simulated = None,
    bare: Annotated[
        bool, typer.Option("--bare", help="Compare with no skill at all.", rich_help_panel=options.WHERE)
    ] = False,
    split: options.Split = "selection",
    passes: Annotated[
        int, typer.Option("--passes", "-p", help="Attempts per task and skill.", rich_help_panel=options.HOW)
    ] = 1,
    metric: options.Metric = "hard",
    seed: options.Seed = 0,
    concurrency: options.Concurrency = 16,
    run: Annotated[
        Path | None,
        typer.Option("--run", "-r", help="Keep the attempts in this folder.", rich_help_panel=options.HOW),
    ] = None,
    budget: options.Rollouts = None,
    dry_run: options.DryRun = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Measure a skill, or compare it with another one, task by task.

    With two skills the question is whether the first is better. Exit code: 0 better (or one skill measured),
    10 not better, 11 not enough data.
    """
    given = Given(tasks, student, None, simulated, seed, scorer, tuple(student_option or ()))
    problem = given.problem(skill)
    settings = EvaluateSettings(passes=passes, split=split, metric=metric, concurrency=concurrency)
    rival = _rival(other, bare)
    arms = 1 if rival is None else 2
    attempts = arms * passes * len(problem.tasks.split(split))
    if dry_run:
        _cost(problem, attempts, arms, settings, json=json)
        return
    if split == "test" and not quiet:
        say("a look at the test split: every look makes it a little less held out")
    limits = limits_of(budget)
    with attempts_bar(attempts, quiet=quiet) as watch:
        runner = watch(problem.student)
        if rival is None:
            one = evaluate(problem.skill, problem.tasks, runner, limits, settings, run)
        else:
            both = compare(problem.skill, rival, problem.tasks, runner, limits, settings, run)
    if rival is None:
        _print_one(one, problem, json=json)
    else:
        _print_both(both, problem, json=json)


def _rival(other: Path | None, bare: bool) -> Skill | None:
    if other is not None and bare:
        raise UsageError("compare with OTHER or with no skill (--bare), not with both")
    if bare:
        return Skill("")
    return None if other is None else skill_at(other)


def _cost(problem: Problem, attempts: int, arms: int, settings: EvaluateSettings, *, json: bool) -> None:
    tasks = len(problem.tasks.split(settings.split))
    if json:
        print_json({"attempts": attempts, "tasks": tasks, "skills": arms, "passes": settings.passes})
        return
    typer.echo(f"{attempts} attempts: {arms} × {tasks} {settings.split} tasks × {settings.passes} passes")


def _print_one(one: Evaluated, problem: Problem, *, json: bool) -> None:
    if json:
        print_json({"simulated": problem.world is not None, **one.as_json()})
        return
    print_facts([("score", _score(one)), *_rest(one, problem)])


def _print_both(both: Compared, problem: Problem, *, json: bool) -> None:
    verdict = both.verdict
    if json:
        print_json({"simulated": problem.world is not None, **both.as_json()})
    else:
        counts = f"{verdict.wins} won, {verdict.ties} tied, {verdict.losses} lost"
        print_facts(
            [
                ("verdict", f"{verdict.decision}: {verdict.reason}"),
                ("first", _score(both.first)),
                ("second", _score(both.second)),
                ("difference", f"{signed(asdict(both.difference))}, first minus second, paired"),
                ("tasks", f"{counts}; exact sign test p = {both.p_value:.3g}"),
                *_rest(both.first, problem),
            ]
        )
    raise typer.Exit(EXIT_CODES[verdict.decision])


def _score(one: Evaluated) -> str:
    missing = f", {len(one.not_measured)} tasks not measured" if one.not_measured else ""
    where = f"from {one.score.n} attempts at {one.score.tasks} tasks"
    name = one.skill.digest[:12] if one.skill.text else "no skill"
    return f"{estimate_in_words(asdict(one.score))} {where}{missing} ({name})"


def _rest(one: Evaluated, problem: Problem) -> Iterator[tuple[str, str]]:
    yield "spent", f"{one.rollouts} rollouts"
    if problem.world is not None:
        yield "note", f"simulated world {problem.world}"
