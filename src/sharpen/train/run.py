"""The front door: check everything, open the store, run the loop, measure what came of it.

Resuming is calling it again with the same arguments: the loop runs as before and what was paid for is
answered from the store. This module knows the order of things; how a loop searches, it does not know.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, get_args

from sharpen.errors import (
    BudgetError,
    ProviderError,
    RunFolderError,
    SettingsError,
    SkillError,
    TaskError,
    UsageError,
)
from sharpen.evaluate import (
    Held,
    Leaks,
    Ledger,
    Measured,
    Runner,
    evaluation_of,
    make_gate,
    measure,
    run_blocking,
    valued_by,
)
from sharpen.skills import Skill
from sharpen.stats import paired
from sharpen.store import MemoryStore, SqliteStore, Store, Version, write_projections
from sharpen.train.batch import BatchLoop, planned_gates
from sharpen.train.draft_loop import DraftLoop
from sharpen.train.journal import Journal, estimate_json
from sharpen.train.means import Means
from sharpen.train.plan import Plan, make_plan
from sharpen.train.result import TrainResult
from sharpen.train.settings import TrainSettings
from sharpen.types import Budget, Estimate, Split, Student, TaskSet, Teacher, fingerprint_of

CALM = 0.02
"""Variance of an attempt below which one final pass says as much as three."""
FORMAT = 2
"""Raised when the loop changes in a way that makes old run folders replay differently."""


def train(
    skill: Skill | str | Path,
    tasks: TaskSet,
    student: Student,
    teacher: Teacher,
    budget: Budget,
    settings: TrainSettings | None = None,
    run_dir: str | Path | None = None,
) -> TrainResult:
    """Train a skill and return it with the evidence. `run_dir` keeps the run; None keeps it in memory."""
    return run_blocking(
        atrain(skill, tasks, student, teacher, budget, settings, run_dir), "train", student, teacher
    )


async def atrain(
    skill: Skill | str | Path,
    tasks: TaskSet,
    student: Student,
    teacher: Teacher,
    budget: Budget,
    settings: TrainSettings | None = None,
    run_dir: str | Path | None = None,
) -> TrainResult:
    """The same inside an event loop."""
    _check_arguments(tasks, student, teacher, budget)
    if not isinstance(settings, TrainSettings | None):
        raise SettingsError(f"settings must be TrainSettings, not {type(settings).__name__}")
    if not isinstance(skill, Skill | str | Path):
        raise SkillError(f"a skill is a Skill or a path to one, not {type(skill).__name__}")
    settings = settings or TrainSettings()
    start = skill if isinstance(skill, Skill) else Skill.read(skill)
    job = _Job(start, tasks, student, teacher, budget, settings)
    plan = make_plan(budget, tasks, lanes=settings.lanes)
    with _opened(run_dir) as store:
        _claim(store, job.config(), run_dir)
        finished = store.result()
        if finished is not None:
            return TrainResult.from_json(finished, _ended_with(store, finished, start))
        return await _Run(job, plan, store).go()


@dataclass(frozen=True)
class _Job:
    """What was asked for."""

    start: Skill
    tasks: TaskSet
    student: Student
    teacher: Teacher
    budget: Budget
    settings: TrainSettings

    def config(self) -> dict[str, Any]:
        """What a run is: change any of it and it is another run."""
        tasks = self.tasks
        return {
            "format": FORMAT,
            "skill": self.start.digest,
            "tasks": tasks.digest,
            "student": fingerprint_of(self.student),
            "teacher": fingerprint_of(self.teacher),
            "budget": asdict(self.budget),
            **self.settings.as_json(),
            "sizes": {name: len(tasks.split(name)) for name in get_args(Split)},
        }

    def unnamed(self) -> list[str]:
        """Actors whose answers are kept under the name of their class, because they have no fingerprint."""
        actors = (("student", self.student), ("teacher", self.teacher))
        return [name for name, who in actors if not isinstance(getattr(who, "fingerprint", None), str)]


class _Run:
    """One run with everything it needs at hand."""

    def __init__(self, job: _Job, plan: Plan, store: Store) -> None:
        start, tasks, settings = job.start, job.tasks, job.settings
        self.start, self.tasks, self.plan, self.store = start, tasks, plan, store
        quoted = None if getattr(job.teacher, "quotes_answers", False) else Leaks(tasks.train)
        self.ledger = Ledger(job.budget, earlier_seconds=store.seconds())
        self.runner = Runner(
            job.student,
            job.teacher,
            store=store,
            ledger=self.ledger,
            concurrency=settings.concurrency,
            retries=settings.retries,
            timeout=settings.timeout,
            leaks=quoted,
        )
        self.journal = Journal(store, self.ledger, on_event=settings.on_event)
        self.runner.on_refused = lambda edits: self.journal.record("refused", edits=list(edits))
        self.value = valued_by(settings.metric, settings.mixed_weight)
        held = Held(self.runner, tasks.selection, self.value, settings.seed)
        width = settings.batch.gate_width if settings.loop == "batch" else 1
        planned = planned_gates(settings.batch, len(tasks.train)) if settings.loop == "batch" else None
        gate = make_gate(settings.gate, held, alpha=settings.alpha, width=width, planned=planned)
        means = Means(self.runner, gate, plan, settings, self.journal, tasks.train, quoted)
        loop = DraftLoop if settings.loop == "draft" else BatchLoop
        self.loop = loop(start, tasks, means)
        store.add_version(Version(start.digest, None, start.text, status="start", files=start.files))
        splits = {name: [t.id for t in tasks.split(name)] for name in get_args(Split)}
        self.journal.record(
            "start", skill=start.digest, plan=asdict(plan), unnamed=job.unnamed(), splits=splits
        )

    async def go(self) -> TrainResult:
        try:
            return await self._go()
        finally:
            await self.runner.close()

    async def _go(self) -> TrainResult:
        with self.runner.stage("search"):
            reason = await self.loop.run()
        if not self.runner.usable and self.runner.unusable:
            raise ProviderError(
                f"the teacher gave no usable answer; the last one: {self.runner.unusable[-1]}"
            )
        self.journal.record("stop", reason=reason, skill=self.loop.incumbent.digest)
        with self.runner.stage("final"):
            selection = await self._final()
        with self.runner.stage("test"):
            test, gain = await self._look_at_test()
        skill = self.loop.incumbent
        result = TrainResult(
            skill=skill,
            selection=selection,
            test=test,
            gain=gain,
            rollouts=self.ledger.rollouts,
            history=self.journal.history,
            reason=reason,
            accepted=skill.digest != self.start.digest,
            spent=self.ledger.spent(),
        )
        self.store.drop_events(after=len(self.journal.history))
        self.store.set_result(result.as_json())
        return result

    def _keep(self, measured: Measured, skill: Skill, *, split: str, purpose: str) -> None:
        evaluation = evaluation_of(measured, skill, split=split, purpose=purpose)
        if evaluation is not None:
            self.store.add_evaluation(evaluation)

    async def _final(self) -> Estimate:
        """Fresh attempts of the exported skill on the selection split, after the last decision."""
        passes = 1 if self.loop.variance < CALM else self.plan.passes
        skill = self.loop.incumbent
        measured = await measure(
            self.runner, skill, self.tasks.selection, value=self.value, passes=passes, reserve=self.plan.test
        )
        estimate = measured.estimate()
        if estimate is None and measured.errors:
            raise self.runner.giving_up()
        if estimate is None:
            raise BudgetError(
                "the budget ended before the final pass could measure anything; give more of it"
            )
        self._keep(measured, skill, split="selection", purpose="final")
        self.journal.record("final", skill=skill.digest, selection=estimate_json(estimate))
        return estimate

    async def _look_at_test(self) -> tuple[Estimate | None, Estimate | None]:
        """One look at the test split with the final skill and the starting one."""
        if not self.tasks.test:
            return None, None
        final, start = self.loop.incumbent, self.start
        new = await measure(self.runner, final, self.tasks.test, value=self.value)
        old = new
        if final.digest != start.digest:
            old = await measure(self.runner, start, self.tasks.test, value=self.value)
            self._keep(old, start, split="test", purpose="test")
        self._keep(new, final, split="test", purpose="test")
        test = new.estimate()
        both = [t for t in self.tasks.test if t.id in new.values and t.id in old.values]
        if not both and (new.errors or old.errors):
            raise self.runner.giving_up()
        differences = [new.values[t.id][0] - old.values[t.id][0] for t in both]
        gain = paired(differences, [t.group or t.id for t in both]) if both else None
        self.journal.record("test", skill=final.digest, test=estimate_json(test), gain=estimate_json(gain))
        return test, gain


def _ended_with(store: Store, finished: dict[str, Any], start: Skill) -> Skill:
    """The skill that a finished run's result names, with its files."""
    kept = (version.skill for version in store.versions() if version.digest == finished["digest"])
    return next(kept, start.with_text(finished["skill"]))


def _check_arguments(tasks: object, student: object, teacher: object, budget: object) -> None:
    if not isinstance(tasks, TaskSet):
        raise TaskError(f"tasks must be a TaskSet, not {type(tasks).__name__}")
    if not callable(getattr(student, "attempt", None)):
        raise UsageError(
            f"a student needs `async attempt(task, skill, *, trial)`; {type(student).__name__} has none"
        )
    if not callable(getattr(teacher, "propose", None)):
        raise UsageError(
            f"a teacher needs `async propose(skill, evidence, *, limit, memory, trial)`; "
            f"{type(teacher).__name__} has none"
        )
    if not isinstance(budget, Budget):
        raise UsageError(
            f"budget must be a Budget, for example Budget(rollouts=500), not {type(budget).__name__}"
        )


def _claim(store: Store, config: dict[str, Any], run_dir: str | Path | None) -> None:
    """Write the configuration into a new run folder; refuse one that was made with another."""
    held = store.config()
    if not held:
        store.set_config(config)
        return
    changed = sorted(key for key in held.keys() | config.keys() if held.get(key) != config.get(key))
    if changed:
        was = "; ".join(f"{key} was {held.get(key)!r}, is {config.get(key)!r}" for key in changed)
        raise RunFolderError(
            f"{run_dir} holds a run of another configuration ({was}). "
            "Choose another folder, or the old values."
        )


@contextmanager
def _opened(run_dir: str | Path | None) -> Iterator[Store]:
    """The run's store, closed in any case; the readable files are written whatever happened."""
    if run_dir is None:
        yield MemoryStore()
        return
    folder = Path(run_dir)
    store = SqliteStore.open(folder)
    try:
        yield store
    finally:
        try:
            if store.config():
                write_projections(store, folder)
        finally:
            store.close()
