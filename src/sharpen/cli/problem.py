"""What a verb works on: a skill, tasks, a student and perhaps a teacher; from files or a simulated world."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import cast

from sharpen.cli.actors import load_student, load_teacher
from sharpen.cli.texts import skill_at
from sharpen.errors import UsageError
from sharpen.simulate import SimulatedStudent, SimulatedTeacher, World, budget_of
from sharpen.skills import Skill
from sharpen.tasks import read_tasks
from sharpen.types import Budget, Student, TaskSet, Teacher


@dataclass(frozen=True)
class Problem:
    """Everything but the budget. `world` is the simulated world's name, None for the user's own."""

    skill: Skill
    tasks: TaskSet
    student: Student
    teacher: Teacher | None
    world: str | None = None

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
    scorer: str = "exact"
    student_options: tuple[str, ...] = ()

    def problem(self, skill: Path | None, *, taught: bool = False) -> Problem:
        """The problem they name; `taught` asks for a teacher too."""
        start = None if skill is None else skill_at(skill)
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
        if missing:
            raise UsageError(f"{' and '.join(missing)} missing; or use --simulated WORLD to try things out")
        tasks = read_tasks(cast(Path, self.tasks), seed=self.seed)
        teacher = load_teacher(self.teacher, tasks) if self.teacher else None
        student = load_student(str(self.student), scorer=self.scorer, options=self.student_options)
        return Problem(skill, tasks, student, teacher)


def budget_for(problem: Problem, limits: Budget | None) -> Budget:
    """What was typed; a simulated world knows a budget that suits it, the look at its test split added."""
    if limits is not None:
        return limits
    if problem.world is None:
        raise UsageError("a limit is missing: --budget N (attempts), --calls, --tokens, --usd or --seconds")
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
