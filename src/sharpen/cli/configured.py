"""A run as a configuration describes it: skill, tasks, student, teacher, budget, settings and folder.

What was typed beside the configuration wins over it: a skill, tasks or a simulated world, a student, a
teacher. Everything that can be wrong is found here, before any call is made; the teacher, the student and the
suite are opened, not asked.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from sharpen.agents import AdapterStudent, open_student
from sharpen.cli.actors import load_student, load_teacher
from sharpen.cli.config import Config, Resolved
from sharpen.cli.config.backends import actor_of, export, is_connection
from sharpen.cli.config.environment import Env
from sharpen.cli.config.names import dotted_keys
from sharpen.cli.config.splits import cut, open_suite
from sharpen.cli.config.training import Training, needed_rollouts, refuse, training_of
from sharpen.cli.problem import Given, Problem
from sharpen.cli.texts import skill_at
from sharpen.errors import SettingsError, SkillError
from sharpen.models import Model, ModelSettings, open_model
from sharpen.skills import Skill
from sharpen.tasks import read_tasks
from sharpen.tasks.scorers import Remembering, remembering
from sharpen.tasks.scoring import Scorer
from sharpen.tasks.suites import Opened, suite_named, suite_names
from sharpen.tasks.suites.suite import StudentKind
from sharpen.train import TrainSettings
from sharpen.train.teacher import open_teacher
from sharpen.types import Budget, Student, TaskSet, Teacher

Options = dict[str, object]
READ = frozenset(
    {"backend", "optimizer", "target", "optimizer_backend", "target_backend", "reasoning_effort"}
    | {"name", "skill_init", "out_root", "split_mode", "split_ratio", "split_seed", "split_dir", "data_path"}
    | {"split_output_dir", "exec_timeout", "workers", "limit", "max_completion_tokens", "max_turns"}
    | {"data_root", "max_tool_turns", "data_dirs", "docs_dirs", "judge_model", "step_limit", "cost_limit"}
    | {"max_steps", "options", "judge_max_completion_tokens"}
)
"""Keys of `model` and `env` that are read whatever the suite and the backends are."""


@dataclass(frozen=True)
class Configured:
    """Everything `train` and `evaluate` take, and what there is to say about it."""

    problem: Problem
    settings: TrainSettings
    budget: Budget
    suite: str
    folder: Path | None
    notes: tuple[str, ...]


def configured(
    resolved: Resolved, given: Given, skill: Path | Skill | None = None, *, taught: bool
) -> Configured:
    """The run that a configuration and what was typed beside it describe; `taught` asks for a teacher."""
    training, config = training_of(resolved), resolved.config
    refuse(training)
    export(resolved, os.environ)
    if given.simulated:
        problem, opened = replace(given, seed=config.train.seed).problem(skill, taught=taught), None
    else:
        opened = None if given.tasks or given.brings_tasks else _suite(config, given)
        teaching = training.teacher if taught else None
        problem = _problem(config, given, skill, opened, teaching=teaching)
    needed = needed_rollouts(training.settings, problem.tasks)
    return Configured(
        problem,
        training.settings,
        training.budget or Budget(rollouts=needed),
        suite="" if opened is None else opened.suite.name,
        folder=Path(config.env.out_root) if config.env.out_root else None,
        notes=tuple(_notes(resolved, training, opened, needed)),
    )


def _suite(config: Config, given: Given) -> Opened:
    name = config.env.name
    if not name:
        raise SettingsError(
            "env.name is empty, and no tasks were named; give --tasks, or set env.name to a suite: "
            f"{', '.join(suite_names())}"
        )
    suite, judge = suite_named(name), given.judge_model() or _judge(config)
    scorer = given.scorer or ""
    if judge is not None and not scorer:
        scorer = next((known for known in suite.scorers if "judge" in known), "")
    opened = open_suite(config, suite, scorer=scorer, judge=judge)
    return replace(opened, scorer=remembering(opened.scorer))


def _judge(config: Config) -> Model | None:
    """The model that judges answers, reached as the teacher is."""
    if not config.env.judge_model:
        return None
    teacher, most = actor_of(config, "optimizer", os.environ), config.env.judge_max_completion_tokens
    settings = ModelSettings(role="teacher", max_tokens=most, **teacher.options)
    return open_model(f"{teacher.name.partition(':')[0]}:{config.env.judge_model}", settings)


def _problem(
    config: Config,
    given: Given,
    skill: Path | Skill | None,
    opened: Opened | None,
    *,
    teaching: Options | None,
) -> Problem:
    start = _skill(config, skill, opened)
    scorer: Scorer | str = given.usual_scorer
    if opened is None and given.tasks is None:
        student = load_student(str(given.student), scorer=scorer, options=given.student_options)
        tasks = cut(cast(AdapterStudent, student).tasks, config)
    else:
        tasks = opened.tasks if opened else cut(_own_tasks(config, given), config)
        scorer = opened.scorer if opened else given.scorer_of(tasks, given.judge_model() or _judge(config))
        student = _student(config, given, opened, scorer)
    teacher = None if teaching is None else _teacher(config, given, tasks, teaching)
    judged = scorer if isinstance(scorer, Remembering) else None
    return Problem(start, tasks, student, teacher, judged=judged)


def _own_tasks(config: Config, given: Given) -> TaskSet:
    return read_tasks(given.tasks or Path(), seed=config.train.seed)


def _skill(config: Config, typed: Path | Skill | None, opened: Opened | None) -> Skill:
    """The typed one, else the file's; silent files start from the suite's own. A missing one is an error."""
    if typed is not None:
        return skill_at(typed) if isinstance(typed, Path) else typed
    if config.env.skill_init:
        try:
            return skill_at(Path(config.env.skill_init))
        except SkillError as error:
            raise SkillError(
                f"env.skill_init: {error}; leave it empty to start from the suite's own skill"
            ) from error
    if opened is None:
        raise SettingsError("no skill to start from; name one, or set env.skill_init")
    return opened.skill


def _student(config: Config, given: Given, opened: Opened | None, scorer: Scorer | str) -> Student:
    turns = opened.turns if opened else None
    if given.student:
        return load_student(given.student, scorer=scorer, options=given.student_options, turns=turns)
    actor = actor_of(config, "target", os.environ)
    if actor.is_client:
        return open_student(actor.name, scorer, actor.options)
    kind = opened.student if opened else "chat"
    name, options = actor.name, {**actor.options, **_ways(config.env, kind)}
    return open_student(f"tools:{name}" if kind == "tools" else name, scorer, options, turns=turns)


def _ways(env: Env, kind: StudentKind) -> Options:
    """How long an attempt may be, in the words of each kind of student."""
    ways: Options = {"timeout": env.exec_timeout, "max_tokens": env.max_completion_tokens}
    if kind == "tools":
        ways |= {"max_steps": env.max_tool_turns or env.step_limit or env.max_turns, "usd": env.cost_limit}
    if kind == "turns":
        ways |= {"max_turns": env.max_turns or env.max_steps}
    return {name: value for name, value in ways.items() if value is not None}


def _teacher(config: Config, given: Given, tasks: TaskSet, options: Options) -> Teacher:
    if given.teacher:
        return load_teacher(given.teacher, tasks, given.teacher_options)
    actor = actor_of(config, "optimizer", os.environ)
    return open_teacher(actor.name, {**actor.options, **options})


def _notes(resolved: Resolved, training: Training, opened: Opened | None, needed: int) -> Iterator[str]:
    if training.budget is None:
        yield f"no limit was set: {needed} rollouts let every epoch run to its end; budget.rollouts says else"
    if training.idle:
        yield f"the {training.settings.loop} loop has no use for {', '.join(training.idle)}"
    unread = [key for key in dotted_keys() if resolved.is_changed(key) and not _is_read(key, opened)]
    if unread:
        yield f"nobody here reads {', '.join(unread)}"


def _is_read(dotted: str, opened: Opened | None) -> bool:
    section, _, key = dotted.partition(".")
    if section not in ("model", "env"):
        return True
    is_option = opened is not None and key in opened.suite.options
    return key in READ or is_option or (section == "model" and (is_connection(key) or key.endswith("_path")))
