"""How to run it again: the Python call behind a run, with every setting that differs from the default.

A simulated world is named, so the call is complete. What only the user has (skill, tasks, student, teacher)
is left open with the digest or fingerprint it must have. Knows the configuration's keys and nothing of what
came of the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from sharpen.errors import UsageError
from sharpen.simulate import SimulatedStudent, World
from sharpen.train import TrainSettings


def recipe_of(config: Mapping[str, Any], run_dir: str) -> str:
    """Python code; empty while no configuration was recorded."""
    if not config:
        return ""
    world = _world(config)
    return "\n".join([*_head(world), "sharpen.train(", *_arguments(config, world, run_dir), ")"])


def _world(config: Mapping[str, Any]) -> World | None:
    """The simulated world of the run, if this program still makes the very same one."""
    kind, _, rest = str(config.get("student", "")).partition(":")
    name, _, seed = rest.rpartition(":")[0].rpartition(":")
    if kind != "simulated" or not seed.isdecimal():
        return None
    try:
        world = World.named(name, seed=int(seed))
    except UsageError:
        return None
    same = (
        SimulatedStudent(world).fingerprint == config["student"] == config.get("teacher")
        and world.skill.digest == config.get("skill")
        and world.tasks(test=_has_test(config)).digest == config.get("tasks")
    )
    return world if same else None


def _head(world: World | None) -> Iterator[str]:
    yield "import sharpen"
    if world is not None:
        yield "from sharpen.simulate import SimulatedStudent, SimulatedTeacher, World"
        yield ""
        yield f"world = World.named({world.name!r}, seed={world.seed})"
    else:
        yield ""


def _arguments(config: Mapping[str, Any], world: World | None, run_dir: str) -> Iterator[str]:
    if world is not None:
        yield "    skill=world.skill,"
        yield f"    tasks=world.tasks(test={_has_test(config)}),"
        yield "    student=SimulatedStudent(world),"
        yield "    teacher=SimulatedTeacher(world),"
    else:
        sizes = ", ".join(f"{count} {split}" for split, count in (config.get("sizes") or {}).items())
        yield f"    skill=...,  # SHA-256 {config.get('skill')}"
        yield f"    tasks=...,  # {sizes}; digest {config.get('tasks')}"
        yield f"    student=...,  # fingerprint {config.get('student')!r}"
        yield f"    teacher=...,  # fingerprint {config.get('teacher')!r}"
    limits = {name: limit for name, limit in (config.get("budget") or {}).items() if limit is not None}
    yield f"    budget=sharpen.Budget({_keywords(limits)}),"
    yield f"    settings=sharpen.TrainSettings({_keywords(_changed_settings(config))}),"
    yield f"    run_dir={run_dir!r},"


def _changed_settings(config: Mapping[str, Any]) -> dict[str, Any]:
    known = {field.name: field.default for field in fields(TrainSettings)}
    changed = {name: config[name] for name in known if name in config and config[name] != known[name]}
    return {"seed": config.get("seed", 0), **changed}


def _has_test(config: Mapping[str, Any]) -> bool:
    return bool((config.get("sizes") or {}).get("test"))


def _keywords(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in values.items())
