"""Two loops at one budget in tokens: what is counted, that it binds, and how runs are compared."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import paper_default
import real_model
from paper_default import Ended
from sharpen.models import Completion, Message, Request, Simulated, open_model
from sharpen.simulate import SimulatedStudent, SimulatedTeacher, World
from sharpen.skills import Edit, apply_edits
from sharpen.tasks.formats import FAMILIES, Sizes
from sharpen.types import Budget, Usage
from token_counts import CountedStudent, CountedTeacher, TightlyBounded


def test_a_simulated_call_costs_what_was_said_beforehand() -> None:
    world = World.named("bundle", seed=0)
    student, teacher = CountedStudent(SimulatedStudent(world)), CountedTeacher(SimulatedTeacher(world))
    task = world.tasks().train[0]
    rollout = asyncio.run(student.attempt(task, world.skill, trial=1))
    assert rollout.usage == student.worst_case(task, world.skill)
    longer = apply_edits(world.skill, [Edit.append("- R00: follow rule R00")]).skill
    assert student.worst_case(task, longer).tokens > rollout.usage.tokens
    lesson = asyncio.run(teacher.propose(world.skill, (rollout,), limit=4, memory="", trial=1))
    most = teacher.worst_case(world.skill, (rollout,), limit=4, memory="")
    assert 0 < lesson.usage.tokens <= most.tokens


@pytest.mark.parametrize("arm", paper_default.ON_WORLDS)
def test_the_limit_of_tokens_binds_every_loop(arm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paper_default, "PER_ATTEMPT", 40)
    run = paper_default.play("small", arm, 0)
    assert 0 < run.tokens <= 40 * paper_default.budget_of("small")
    assert run.calls > 0


def test_without_a_limit_of_epochs_the_published_settings_use_the_budget() -> None:
    four, more = (paper_default.play("slip.2", arm, 1) for arm in ("paper", "paper, more epochs"))
    assert four.rollouts < more.rollouts
    assert more.tokens > 0.75 * paper_default.PER_ATTEMPT * paper_default.budget_of("slip.2")


Answer = Callable[[Request, int], str]


class Greedy(Simulated):
    """Uses more than it should."""

    async def complete(self, request: Request, *, trial: int = 1) -> Completion:
        return Completion("", usage=Usage(5000, 0))


def test_a_model_is_bounded_tightly_and_a_call_beyond_the_bound_is_an_error() -> None:
    model = open_model("simulated:echo")
    tight = TightlyBounded(model)
    request = Request((Message("user", "On which date was the mill sold? " * 4),), max_tokens=100)
    assert tight.worst_case(request).tokens < model.worst_case(request).tokens
    completion = asyncio.run(tight.complete(request))
    assert completion.usage.tokens <= tight.worst_case(request).tokens
    with pytest.raises(AssertionError, match="used 5000 tokens; the bound says"):
        asyncio.run(TightlyBounded(Greedy("greedy", lambda request, trial: "")).complete(request))


def test_runs_are_compared_task_by_task_with_seeds_as_clusters() -> None:
    def run(seed: int, *scores: float) -> Ended:
        return Ended(seed, scores, tokens=1, rollouts=1, calls=1, edits=1, size=1)

    ours, theirs = [run(0, 1, 1), run(1, 1, 0), run(2, 1, 1)], [run(0, 0, 1), run(1, 1, 0), run(2, 0, 0)]
    assert paper_default.difference(ours, theirs).startswith("+0.500 [")
    assert paper_default.row("w", {"paper": theirs, "default": ours})[:5] == ["w", "0.333", "1", "0.833", "1"]


def year_or_sentence(request: Request, trial: int) -> str:
    """Gives the year alone when told to as a student, and as a teacher says so every other time."""
    if not request.system:
        return "Answer with only the year." if trial % 2 else "Never answer at all."
    asked = request.messages[-1].text
    years = re.findall(r"\d{4}", asked)
    return years[-1] if "only the year" in request.system else asked


@pytest.mark.parametrize("arm", paper_default.ON_MODEL)
def test_a_model_is_both_and_the_same_command_goes_on(arm: str, tmp_path: Path) -> None:
    plan, budget = real_model.Plan(Sizes(8, 16, 6), 0, 0.0, runs=tmp_path), Budget(tokens=4000, rollouts=200)

    def run(answer: Answer) -> Ended:
        model = TightlyBounded(Simulated("both", answer))
        train = paper_default.train_on_model
        return asyncio.run(train(model, FAMILIES["year"], arm, seed=0, budget=budget, plan=plan))

    first = run(year_or_sentence)
    assert first.score == 1.0
    assert first.edits == 1
    assert 0 < first.tokens <= 4000
    assert replace(run(nobody_is_asked), seconds=0) == replace(first, seconds=0)


def nobody_is_asked(request: Request, trial: int) -> str:
    raise AssertionError("what was paid for is asked again")


def test_a_family_is_trained_and_told_with_its_size_and_its_edits(tmp_path: Path) -> None:
    """No model is needed to see that a row is complete; that a skill helps is for the benchmark to show."""
    plan = real_model.Plan(Sizes(8, 14, 4), 60, 0.0, runs=tmp_path)
    trained = asyncio.run(real_model.train_one(open_model("simulated:echo"), "year", 0, plan))
    cells = dict(zip(real_model.HEAD, trained.row(), strict=True))
    assert cells["start"] == cells["trained"] == "0.00"
    assert cells["edits"] == "0"
    assert int(cells["skill's tokens"]) < 20
    assert int(cells["tokens"]) > 0
    assert cells["gain on test"].startswith("+0.00 [")
    assert (tmp_path / "year-0" / "run.db").is_file()
