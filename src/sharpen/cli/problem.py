"""What a verb works on: a skill, tasks, a student and perhaps a teacher; from files or a simulated world."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import cast, get_args

from sharpen.agents import STUDENTS, AdapterStudent
from sharpen.agents.skillopt_env import SKILLOPT
from sharpen.cli.actors import load_student, load_teacher
from sharpen.cli.texts import skill_at
from sharpen.errors import UsageError
from sharpen.models import Model, ModelSettings, open_model
from sharpen.simulate import SimulatedStudent, SimulatedTeacher, World, budget_of
from sharpen.skills import Skill
from sharpen.tasks import read_tasks
from sharpen.tasks.scorers import Remembering, remembering, scorer_for
from sharpen.tasks.scoring import Scorer
from sharpen.types import Budget, Split, Student, Task, TaskSet, Teacher

FEWEST, PER_TASK = 200, 10
"""Attempts of a run for which nobody set a limit: so many for each task, and no fewer than so many in all."""


@dataclass(frozen=True)
class Problem:
    """Everything but the budget. `world` is the simulated world's name, None for the user's own.

    `judged` is the scorer that asks a judge, where there is one.
    """

    skill: Skill
    tasks: TaskSet
    student: Student
    teacher: Teacher | None
    world: str | None = None
    judged: Remembering | None = None

    @property
    def in_words(self) -> str:
        sizes = ", ".join(f"{len(self.tasks.split(name))} {name}" for name in ("train", "selection", "test"))
        return f"{sizes} tasks" + (f"; simulated world {self.world}" if self.world else "")


@dataclass(frozen=True)
class Given:
    """The options that name a problem, as they were typed."""

    tasks: Path | None = None
    student: str | None = None
    teacher: str | None = None
    simulated: str | None = None
    seed: int = 0
    scorer: str | None = None
    student_options: tuple[str, ...] = ()
    teacher_options: tuple[str, ...] = ()
    judge: str | None = None

    def problem(self, skill: Path | Skill | None, *, taught: bool = False) -> Problem:
        """The problem they name; `taught` asks for a teacher too."""
        start = skill_at(skill) if isinstance(skill, Path) else skill
        return self._simulated(start) if self.simulated else self._own(start, taught)

    def _simulated(self, skill: Skill | None) -> Problem:
        own = [name for name in ("tasks", "student", "teacher") if getattr(self, name) is not None]
        if own:
            raise UsageError(f"--simulated brings its own {own[0]}; leave out --{' and --'.join(own)}")
        world = World.named(str(self.simulated), seed=self.seed)
        student, teacher = SimulatedStudent(world), SimulatedTeacher(world)
        return Problem(skill or world.skill, world.tasks(test=True), student, teacher, world.name)

    def _own(self, skill: Skill | None, taught: bool) -> Problem:
        if skill is None:
            raise UsageError(
                "name a skill: a Markdown file or a folder with SKILL.md (or use --simulated WORLD)"
            )
        needed = ("tasks", "student", "teacher") if taught else ("tasks", "student")
        missing = [f"--{name}" for name in needed if getattr(self, name) is None]
        if self.brings_tasks and "--tasks" in missing:
            missing.remove("--tasks")
        if missing:
            raise UsageError(f"{' and '.join(missing)} missing; or use --simulated WORLD to try things out")
        tasks, student, scorer = self._tasks_and_student()
        teacher = load_teacher(self.teacher, tasks, self.teacher_options) if self.teacher else None
        return Problem(
            skill, tasks, student, teacher, judged=scorer if isinstance(scorer, Remembering) else None
        )

    @property
    def brings_tasks(self) -> bool:
        """An adapter of SkillOpt has items of its own."""
        return (self.student or "").partition(":")[0] == SKILLOPT

    def _tasks_and_student(self) -> tuple[TaskSet, Student, Scorer | str]:
        name = str(self.student)
        if self.tasks is None:
            adapter = load_student(name, scorer=self.usual_scorer, options=self.student_options)
            return cast(AdapterStudent, adapter).tasks, adapter, self.usual_scorer
        tasks = read_tasks(self.tasks, seed=self.seed)
        scorer = self.scorer_of(tasks, self.judge_model())
        return tasks, load_student(name, scorer=scorer, options=self.student_options), scorer

    @property
    def usual_scorer(self) -> str:
        """The one that was typed, or the plainest."""
        return self.scorer or "exact"

    def scorer_of(self, tasks: TaskSet, judge: Model | None) -> Scorer | str:
        """Who judges these tasks: their own checks first. A student of the user's own scores itself."""
        if self.brings_tasks or (self.student or STUDENTS[0]).partition(":")[0] not in STUDENTS:
            return self.usual_scorer
        return remembering(scorer_for(all_tasks(tasks), self.usual_scorer, judge))

    def judge_model(self) -> Model | None:
        return None if self.judge is None else open_model(self.judge, ModelSettings(role="teacher"))


def all_tasks(tasks: TaskSet) -> tuple[Task, ...]:
    return tuple(task for name in get_args(Split) for task in tasks.split(name))


def budget_for(problem: Problem, limits: Budget | None) -> Budget:
    """What was typed, else what suits: a world knows its own, other tasks get so many attempts each."""
    if limits is not None:
        return limits
    if problem.world is None:
        return Budget(rollouts=max(FEWEST, PER_TASK * len(all_tasks(problem.tasks))))
    return Budget(rollouts=budget_of(problem.world) + 2 * len(problem.tasks.test))


def limits_of(
    rollouts: int | None,
    calls: int | None = None,
    tokens: int | None = None,
    usd: float | None = None,
    seconds: float | None = None,
) -> Budget | None:
    """A budget out of the options; None when no limit was typed."""
    if all(limit is None for limit in (rollouts, calls, tokens, usd, seconds)):
        return None
    return Budget(rollouts, calls, tokens, usd, seconds)
