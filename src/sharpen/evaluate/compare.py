"""The two public measurements: one skill on some tasks, or two skills on the same tasks, paired.

Both make fresh attempts, as many as asked for, and look once; the gate that may look after every pair is in
`gates.py`. With a run folder the attempts are kept, and measuring again pays only for what is new. This
module decides nothing about a training run and changes no skill.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import ceil
from pathlib import Path
from statistics import fmean, variance
from typing import TypeVar

from sharpen.errors import BudgetError, ProviderError, RunFolderError, TaskError, UsageError
from sharpen.evaluate.blocking import run_blocking
from sharpen.evaluate.gates import ENOUGH_MEASURED
from sharpen.evaluate.ledger import Ledger
from sharpen.evaluate.measurements import Compared, Evaluated, EvaluateSettings
from sharpen.evaluate.passes import Measured, Value, evaluation_of, valued_by
from sharpen.evaluate.runner import Runner
from sharpen.skills import Skill
from sharpen.stats import fewest_wins, paired, pairs_needed, sign_test
from sharpen.store import MemoryStore, SqliteStore, Store, Version
from sharpen.types import Budget, Decision, Estimate, Student, Task, TaskSet, Verdict, fingerprint_of

NO_SKILL = Skill("")
"""What a student gets when there is no skill: an empty text."""
KIND = "evaluation"
"""Marks a folder of evaluations, so that its attempts are never mixed with those of a training run."""

SkillLike = Skill | str | Path | None
T = TypeVar("T")


def evaluate(
    skill: SkillLike,
    tasks: TaskSet | Iterable[Task],
    student: Student,
    budget: Budget | None = None,
    settings: EvaluateSettings | None = None,
    run_dir: str | Path | None = None,
) -> Evaluated:
    """Measure a skill (None: no skill at all) on tasks, or on a split of a TaskSet."""
    return run_blocking(aevaluate(skill, tasks, student, budget, settings, run_dir), "evaluate", student)


async def aevaluate(
    skill: SkillLike,
    tasks: TaskSet | Iterable[Task],
    student: Student,
    budget: Budget | None = None,
    settings: EvaluateSettings | None = None,
    run_dir: str | Path | None = None,
) -> Evaluated:
    """The same inside an event loop."""
    settings = settings or EvaluateSettings()
    chosen, split = _chosen(tasks, settings)
    with opened(run_dir, student) as store:
        (evaluated,) = await _measured([_skill(skill)], chosen, split, student, budget, settings, store)
    return evaluated


def compare(
    skill_a: SkillLike,
    skill_b: SkillLike,
    tasks: TaskSet | Iterable[Task],
    student: Student,
    budget: Budget | None = None,
    settings: EvaluateSettings | None = None,
    run_dir: str | Path | None = None,
) -> Compared:
    """Is `skill_a` better than `skill_b` on these tasks? Both make the same number of attempts."""
    return run_blocking(
        acompare(skill_a, skill_b, tasks, student, budget, settings, run_dir), "compare", student
    )


async def acompare(
    skill_a: SkillLike,
    skill_b: SkillLike,
    tasks: TaskSet | Iterable[Task],
    student: Student,
    budget: Budget | None = None,
    settings: EvaluateSettings | None = None,
    run_dir: str | Path | None = None,
) -> Compared:
    """The same inside an event loop."""
    settings = settings or EvaluateSettings()
    chosen, split = _chosen(tasks, settings)
    arms = [_skill(skill_a), _skill(skill_b)]
    with opened(run_dir, student) as store:
        first, second = await _measured(arms, chosen, split, student, budget, settings, store)
    return _judged(first, second, chosen, alpha=settings.alpha)


def within_variance(evaluated: Sequence[Evaluated]) -> float | None:
    """How much repeated attempts at one task scatter; None when no task was attempted twice.

    Several records are taken as further attempts with one skill: what an A/A comparison yields.
    """
    gathered: dict[str, list[float]] = {}
    for one in evaluated:
        for task, values in one.values.items():
            gathered.setdefault(task, []).extend(values)
    repeated = [values for values in gathered.values() if len(values) > 1]
    weights = [len(values) - 1 for values in repeated]
    return fmean(map(variance, repeated), weights) if repeated else None


# -- measuring ------------------------------------------------------------------------------------------


async def _measured(
    arms: Sequence[Skill],
    tasks: Sequence[Task],
    split: str,
    student: Student,
    budget: Budget | None,
    settings: EvaluateSettings,
    store: Store,
) -> list[Evaluated]:
    ledger = Ledger(_budget(budget, len(arms) * len(tasks) * settings.passes, settings))
    runner = Runner(
        student, store=store, ledger=ledger, concurrency=settings.concurrency, retries=settings.retries,
        timeout=settings.timeout,
    )  # fmt: skip
    value = valued_by(settings.metric, settings.mixed_weight)
    with runner.stage("eval"):
        measured, error = await _side_by_side(runner, arms, tasks, value=value, passes=settings.passes)
    for arm, one in zip(arms, measured, strict=True):
        _keep(store, arm, one, split=split)
    return [_evaluated(arm, one, ledger.spent(), error) for arm, one in zip(arms, measured, strict=True)]


async def _side_by_side(
    runner: Runner, arms: Sequence[Skill], tasks: Sequence[Task], *, value: Value, passes: int
) -> tuple[list[Measured], str]:
    """Every arm on every task, neighbours in time; also the last reason why an attempt measured nothing."""
    order = [(k, task) for _ in range(passes) for task in tasks for k in range(len(arms))]
    rollouts = await runner.attempts([(arms[k], task) for k, task in order])
    measured, error = [Measured() for _ in arms], ""
    for (k, task), rollout in zip(order, rollouts, strict=True):
        measured[k].add(task, rollout, value(rollout) if rollout is not None else None)
        error = rollout.error if rollout is not None and rollout.error else error
    return measured, error


def _evaluated(skill: Skill, measured: Measured, spent: Mapping[str, float], error: str) -> Evaluated:
    estimate = measured.estimate()
    if estimate is None and not error:
        raise BudgetError("the budget ended before an attempt measured anything; give more of it")
    if estimate is None:
        raise ProviderError(f"no attempt measured anything; the last one: {error}")
    values = {task: tuple(values) for task, values in measured.values.items()}
    openings, used = tuple(measured.openings), tuple(measured.tokens)
    return Evaluated(skill, estimate, values, dict(measured.errors), spent, openings, used)


def _keep(store: Store, skill: Skill, measured: Measured, *, split: str) -> None:
    store.add_version(Version(skill.digest, None, skill.text, files=skill.files))
    evaluation = evaluation_of(measured, skill, split=split, purpose="eval")
    if evaluation is not None:
        store.add_evaluation(evaluation)


# -- judging --------------------------------------------------------------------------------------------


def _judged(first: Evaluated, second: Evaluated, tasks: Sequence[Task], *, alpha: float) -> Compared:
    both = [task for task in tasks if task.id in first.values and task.id in second.values]
    if not both:
        raise ProviderError("no task was measured with both skills; run the same command again")
    differences = {t.id: fmean(first.values[t.id]) - fmean(second.values[t.id]) for t in both}
    units = [task.group or task.id for task in both]
    difference = paired(list(differences.values()), units)
    wins, ties, losses = _signs(list(differences.values()), units)
    p_value = sign_test(wins, losses)
    if len(both) < ENOUGH_MEASURED * len(tasks):
        decision, reason = _undecided(f"only {len(both)} of {len(tasks)} tasks were measured with both")
    else:
        decision, reason = _decision(difference, p_value, list(differences.values()), alpha=alpha)
    verdict = Verdict("paired", decision, reason, wins + ties + losses, wins, ties, losses, difference)
    return Compared(first, second, difference, verdict, p_value, differences)


def _undecided(reason: str) -> tuple[Decision, str]:
    return "not enough data", reason


def _decision(
    difference: Estimate, p_value: float, differences: Sequence[float], *, alpha: float
) -> tuple[Decision, str]:
    """Better needs proof; a gain that is not proven is left open, no gain is not better."""
    if difference.mean <= 0:
        return "not better", f"no gain: mean difference {difference.mean:+.3f}"
    if p_value <= alpha:
        return "better", f"mean difference {difference.mean:+.3f}, sign test p = {p_value:.3g}"
    reason = f"mean difference {difference.mean:+.3f} could be luck, sign test p = {p_value:.3g}"
    if len(differences) > 1:
        tasks = pairs_needed(difference.mean, sd=variance(differences) ** 0.5, alpha=alpha)
        share = sum(one > 0 for one in differences) / len(differences)
        tasks = max(tasks, ceil(fewest_wins(alpha) / share), len(differences) + 1)
        reason += f"; about {tasks} tasks would show a gain of this size"
    return _undecided(reason)


def _signs(differences: Sequence[float], units: Sequence[str]) -> tuple[int, int, int]:
    """Tasks, or groups of tasks, that the first skill won, tied and lost."""
    gathered: dict[str, list[float]] = {}
    for difference, unit in zip(differences, units, strict=True):
        gathered.setdefault(unit, []).append(difference)
    means = [round(fmean(values), 12) for values in gathered.values()]
    wins, losses = sum(mean > 0 for mean in means), sum(mean < 0 for mean in means)
    return wins, len(means) - wins - losses, losses


# -- the edges ------------------------------------------------------------------------------------------


def _skill(skill: SkillLike) -> Skill:
    if skill is None:
        return NO_SKILL
    return skill if isinstance(skill, Skill) else Skill.read(skill)


def _chosen(tasks: TaskSet | Iterable[Task], settings: EvaluateSettings) -> tuple[tuple[Task, ...], str]:
    """The tasks to measure, and the name of their split."""
    split = settings.split if isinstance(tasks, TaskSet) else "tasks"
    chosen = tasks.split(settings.split) if isinstance(tasks, TaskSet) else tuple(tasks)
    if not chosen:
        raise TaskError(f"there is nothing to measure: no tasks in {split}")
    seen: set[str] = set()
    for task in chosen:
        if not isinstance(task, Task):
            raise TaskError(f"tasks must be Task records, not {type(task).__name__}")
        if task.id in seen:
            raise TaskError(f"task {task.id!r} is there twice; ids must be unique")
        seen.add(task.id)
    return chosen, split


def _budget(budget: Budget | None, needed: int, settings: EvaluateSettings) -> Budget:
    """Without a budget: what was asked for, with room for every retry."""
    if budget is None:
        return Budget(rollouts=needed * (1 + settings.retries))
    limits = [limit for limit in (budget.rollouts, budget.calls) if limit is not None]
    if limits and min(limits) < needed:
        raise BudgetError(
            f"a budget of {min(limits)} rollouts does not reach: {needed} attempts were asked for. "
            "Give at least that, fewer passes or fewer tasks."
        )
    return budget


@contextmanager
def opened(run_dir: str | Path | None, student: Student) -> Iterator[Store]:
    """The store the attempts go to: in memory, or a folder that holds evaluations and nothing else."""
    if not callable(getattr(student, "attempt", None)):
        raise UsageError(
            f"a student needs `async attempt(task, skill, *, trial)`; {type(student).__name__} has none"
        )
    if run_dir is None:
        yield MemoryStore()
        return
    store = SqliteStore.open(Path(run_dir))
    try:
        config, held = {"kind": KIND, "student": fingerprint_of(student)}, store.config()
        if held and held.get("kind") != KIND:
            raise RunFolderError(f"{run_dir} holds a training run; keep evaluations in a folder of their own")
        if not held:
            store.set_config(config)
        yield store
    finally:
        store.close()
