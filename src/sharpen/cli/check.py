"""`sharpen check --noise`: a skill against itself, so that luck can be told from progress later on."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

import typer

from sharpen.cli import options
from sharpen.cli.forecast import effect_in_words, smallest_effect
from sharpen.cli.problem import Given, Problem, budget_for, limits_of
from sharpen.cli.progress import attempts_bar
from sharpen.cli.steps import signed
from sharpen.cli.terminal import print_facts, print_json
from sharpen.errors import UsageError
from sharpen.evaluate import Compared, EvaluateSettings, compare, within_variance
from sharpen.stats import detectable_effect
from sharpen.train import make_plan
from sharpen.types import Budget

SHOWN = 8
"""Tasks that are named; the others are counted."""


def command(
    skill: Annotated[
        Path | None,
        typer.Argument(metavar="SKILL", help="A Markdown file, a skill folder or a run folder."),
    ] = None,
    noise: Annotated[bool, typer.Option("--noise", help="The check to make (so far the only one).")] = False,
    tasks: options.Tasks = None,
    student: options.Student = None,
    student_option: options.StudentOptions = None,
    scorer: options.Scorer = None,
    judge: options.Judge = None,
    simulated: options.Simulated = None,
    budget: Annotated[
        int | None,
        typer.Option("--budget", "-b", metavar="N", help="Attempts of the training run you have in mind."),
    ] = None,
    split: options.Split = "selection",
    passes: Annotated[
        int,
        typer.Option("--passes", "-p", help="Attempts per task and side.", rich_help_panel=options.HOW),
    ] = 2,
    metric: options.Metric = "hard",
    seed: options.Seed = 0,
    concurrency: options.Concurrency = 16,
    dry_run: options.DryRun = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Run a skill against itself: how noisy is the measurement?

    Both sides are the same skill, so every difference is luck. The scatter says what gain a budget can prove.
    """
    if not noise:
        raise UsageError("say which check: sharpen check --noise …")
    given = Given(tasks, student, None, simulated, seed, scorer, tuple(student_option or ()), judge=judge)
    problem = given.problem(skill)
    attempts = 2 * passes * len(problem.tasks.split(split))
    if dry_run:
        _cost(attempts, json=json)
        return
    settings = EvaluateSettings(passes=passes, split=split, metric=metric, concurrency=concurrency)
    with attempts_bar(attempts, quiet=quiet) as watch:
        both = compare(problem.skill, problem.skill, problem.tasks, watch(problem.student), None, settings)
    limits = budget_for(problem, limits_of(budget)) if budget or problem.world else None
    found = _findings(both, problem, limits)
    if json:
        print_json(found)
    else:
        print_facts(_facts(both, found, limits, problem))


def _cost(attempts: int, *, json: bool) -> None:
    if json:
        print_json({"attempts": attempts})
    else:
        typer.echo(f"{attempts} attempts")


def _findings(both: Compared, problem: Problem, limits: Budget | None) -> dict[str, Any]:
    variance = within_variance([both.first, both.second]) or 0.0
    tasks, noise = len(both.differences), min(1.0, 2 * variance)
    pairs = make_plan(limits, problem.tasks).gate // 2 if limits else None
    eval_sees = detectable_effect(pairs=tasks, sd=math.sqrt(noise)) if tasks > 1 else None
    return {
        "simulated": problem.world is not None,
        "variance": variance,
        "flip_rate": (1 - math.sqrt(max(0.0, 1 - 4 * variance))) / 2,
        "unsteady_tasks": _unsteady(both),
        "tasks": tasks,
        "difference": both.as_json()["difference"],
        "verdict": both.as_json()["verdict"],
        "p_value": both.p_value,
        "eval_can_see": eval_sees,
        "gate_pairs": pairs,
        "gate_can_see": smallest_effect(pairs, noise=noise) if pairs else None,
        "spent": dict(both.first.spent),
    }


def _unsteady(both: Compared) -> dict[str, dict[str, float]]:
    """Tasks whose attempts disagree, the most divided first."""
    values = {task: both.first.values[task] + both.second.values[task] for task in both.differences}
    divided = {task: some for task, some in values.items() if max(some) - min(some) > 1e-9}
    order = sorted(divided, key=lambda task: abs(fmean(divided[task]) - 0.5))
    return {task: {"mean": fmean(divided[task]), "attempts": len(divided[task])} for task in order}


def _facts(
    both: Compared, found: dict[str, Any], limits: Budget | None, problem: Problem
) -> Iterator[tuple[str, str]]:
    unsteady = found["unsteady_tasks"]
    yield "scatter", f"standard deviation of one attempt {math.sqrt(found['variance']):.3f}"
    if found["variance"]:
        yield "", f"as if {found['flip_rate']:.0%} of pass/fail outcomes flipped by luck"
    yield "unsteady", f"{len(unsteady)} of {found['tasks']} tasks end differently when tried again"
    for task, seen in list(unsteady.items())[:SHOWN]:
        yield "", f"{task}: mean {seen['mean']:.2f} over {seen['attempts']} attempts"
    if len(unsteady) > SHOWN:
        yield "", f"… and {len(unsteady) - SHOWN} more"
    yield "A/A", f"{signed(found['difference'])} between the skill and itself, p = {both.p_value:.3g}"
    if found["eval_can_see"] is not None:
        yield "eval sees", f"{found['eval_can_see']:+.3f} or more: one pass over these tasks, power 80 %"
    if limits is not None:
        words = effect_in_words(found["gate_can_see"])
        yield (
            "gate sees",
            f"{words} with at least {found['gate_pairs']} pairs of a budget of {limits.rollouts}",
        )
    yield "spent", f"{both.rollouts} rollouts"
    if problem.world:
        yield "note", f"simulated world {problem.world}"
