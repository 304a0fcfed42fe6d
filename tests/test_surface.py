"""The public surface is there in whatever order things are imported."""

from __future__ import annotations

import subprocess
import sys

import pytest

USE = """
import inspect
for function in (sharpen.train, sharpen.evaluate, sharpen.compare, sharpen.atrain):
    assert callable(function), function
assert list(inspect.signature(sharpen.train).parameters)[:2] == ["skill", "tasks"]
assert list(inspect.signature(sharpen.evaluate).parameters)[:3] == ["skill", "tasks", "student"]
from sharpen.simulate import SimulatedStudent, SimulatedTeacher, World
world = World.named("binary")
student, teacher = SimulatedStudent(world), SimulatedTeacher(world)
result = sharpen.train(world.skill, world.tasks(), student, teacher, sharpen.Budget(rollouts=300))
assert sharpen.evaluate(result.skill, world.tasks(), student).score.mean == 1
assert sharpen.train.TrainSettings is sharpen.TrainSettings
"""
ORDERS = {
    "alone": "import sharpen",
    "submodules first": "import sharpen.train.run, sharpen.evaluate.gates, sharpen",
    "submodules after": "import sharpen; sharpen.train; import sharpen.train.run, sharpen.evaluate.gates",
    "submodules by name": "import sharpen.train.run as run, sharpen.evaluate.compare as c; import sharpen",
    "from imports": "from sharpen import train, evaluate, compare; import sharpen; assert callable(train)",
    "everything": "from sharpen import *; import sharpen; assert callable(train) and Task",
}


@pytest.mark.parametrize("order", ORDERS)
def test_functions_that_share_their_name_with_a_package(order: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ORDERS[order] + USE], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr


def test_importing_is_light() -> None:
    heavy = "m.startswith('sharpen.') or m in ('rich', 'pydantic', 'sqlite3')"
    code = f"import sys, sharpen; print([m for m in sys.modules if {heavy}])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "[]\n"


def test_everything_promised_is_there() -> None:
    import sharpen

    for name in sharpen.__all__:
        assert getattr(sharpen, name) is not None
    assert set(sharpen.__all__) <= set(dir(sharpen))
    with pytest.raises(AttributeError):
        _ = sharpen.tarin  # type: ignore[attr-defined]
