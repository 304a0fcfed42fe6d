"""A student that talks with its task: worlds and programs answer back, and every bound holds."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sharpen.agents import TurnSettings, TurnStudent, open_student
from sharpen.errors import ProviderError, SettingsError
from sharpen.models import Request, Simulated
from sharpen.skills import Skill
from sharpen.tasks.suites import Opened, suite_named
from sharpen.traces import from_json
from sharpen.types import Rollout

DATA = Path(__file__).parents[1] / "tasks" / "data"
SKILL = Skill.from_text("# House\n- Open before you take.\n")
MOVES = ("open drawer 1", "take mug 1 from drawer 1", "Now:\n> move mug 1 to desk 1")


@pytest.fixture
def world() -> Opened:
    return suite_named("alfworld").open(DATA / "alfworld", options={"world": "tasks.toy_world:ToyWorld"})


def play(world: Opened, moves: tuple[str, ...], settings: TurnSettings | None = None) -> Rollout:
    model = Simulated("player", lambda request, trial: moves[min(len(request.messages) // 2, len(moves) - 1)])
    assert world.turns is not None
    student = TurnStudent(model, world.scorer, world.turns, settings or TurnSettings())
    return asyncio.run(student.attempt(world.tasks.train[0], SKILL, trial=1))


def test_a_game_is_won_move_by_move_and_told(world: Opened) -> None:
    from tasks.toy_world import ToyWorld

    before = ToyWorld.closed
    rollout = play(world, MOVES)
    assert rollout.outcome == "solved"
    assert ToyWorld.closed == before + 2  # the one that was played and the one of the scorer
    assert rollout.usage is not None
    assert rollout.usage.calls == 3
    assert rollout.trajectory is not None
    steps = from_json(rollout.trajectory).steps
    assert [step.source for step in steps] == ["user", "agent", "user", "agent", "user", "agent"]
    assert "Possible commands: look, open drawer 1" in str(steps[0].message)
    assert "In it you see a mug 1." in str(steps[2].message)


def test_a_game_that_is_not_won_in_time_is_lost(world: Opened) -> None:
    rollout = play(world, ("look",), TurnSettings(max_turns=4))
    assert rollout.outcome == "failed"
    assert rollout.score is not None
    assert "the student was stopped: it was not done after 4 turns" in rollout.score.feedback
    assert rollout.usage is not None
    assert rollout.usage.calls == 4


def test_tokens_are_bounded_before_each_call(world: Opened) -> None:
    rollout = play(world, ("look",), TurnSettings(tokens=1500, max_tokens=64))
    assert rollout.score is not None
    assert "could have crossed 1500 tokens" in rollout.score.feedback
    assert rollout.usage is not None
    assert rollout.usage.tokens <= 1500


def test_what_was_paid_before_an_outage_is_told(world: Opened) -> None:
    def answer(request: Request, trial: int) -> str:
        if len(request.messages) > 1:
            raise ProviderError("the server is gone")
        return MOVES[0]

    assert world.turns is not None
    student = TurnStudent(Simulated("player", answer), world.scorer, world.turns)
    with pytest.raises(ProviderError, match="gone") as outage:
        asyncio.run(student.attempt(world.tasks.train[0], SKILL, trial=1))
    assert outage.value.usage.calls == 1
    assert outage.value.usage.tokens > 0


def test_an_empty_answer_is_no_move(world: Opened) -> None:
    assert play(world, ("  ", *MOVES)).outcome == "solved"


def test_the_suite_makes_a_chat_talk(world: Opened) -> None:
    options = {"max_turns": "7", "base_url": "http://127.0.0.1:1/v1"}
    student = open_student("vllm:x", world.scorer, options, turns=world.turns)
    assert isinstance(student, TurnStudent)
    assert student.settings.max_turns == 7
    assert "alfworld_turns@1" in student.fingerprint
    asyncio.run(student.aclose())
    with pytest.raises(SettingsError, match="max_turns must be at least 1"):
        TurnSettings(max_turns=0)
