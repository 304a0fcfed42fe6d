"""The simulated worlds answer exactly as their definition does, for every world."""

from __future__ import annotations

from itertools import product

import pytest

from sharpen.errors import UsageError
from sharpen.simulate import WORLDS, Spec, Truth, World, budget_of, line_of, tags_of
from sharpen.skills import Edit, Skill, apply_edits

from .golden import FEEDBACKS, GOLDEN, NAMES, SEEDS, digest, golden_of, signed, skills_of, text_of, world_of

every_world = pytest.mark.parametrize(("name", "seed"), list(product(NAMES, SEEDS)))


def _spelled(truth: Truth) -> str:
    return f"{truth.id} {' '.join(truth.needs)} {truth.trap}"


def test_every_world_has_vectors_and_its_budget() -> None:
    assert tuple(WORLDS) == NAMES
    assert {name: GOLDEN["worlds"][name]["budget"] for name in NAMES} == {
        name: budget_of(name) for name in NAMES
    }
    assert all(WORLDS[name].rules == GOLDEN["worlds"][name]["rules"] for name in NAMES)


@every_world
def test_tasks(name: str, seed: int) -> None:
    world, golden = world_of(name, seed), golden_of(name, seed)
    for split, (size, digested) in golden["tasks"].items():
        assert len(world.splits[split]) == size
        assert digest(map(_spelled, world.splits[split])) == digested
    assert [_spelled(truths[0]) for truths in world.splits.values()] == golden["first"]
    assert sorted(tags_of(world.skill.text)) == golden["start"].split()


@every_world
def test_rollouts(name: str, seed: int) -> None:
    world, golden = world_of(name, seed), golden_of(name, seed)
    skills = skills_of(world)
    for task, skill, answers in golden["rollouts"]:
        seen = [world.rollout(world.truths[task], skills[skill], trial=trial) for trial in (1, 2, 3)]
        assert [list(one) for one in seen] == answers, (task, skill)


@every_world
def test_many_rollouts(name: str, seed: int) -> None:
    world = world_of(name, seed)
    truths = [truth for truths in world.splits.values() for truth in truths[:20]]
    asked = product(truths, skills_of(world).items(), (1, 2, 3))
    lines = []
    for truth, (skill, text), trial in asked:
        score, feedback = world.rollout(truth, text, trial=trial)
        lines.append(f"{truth.id} {skill} {trial} {score!r} {feedback}")
    assert digest(lines) == golden_of(name, seed)["sweep"]


@every_world
def test_means(name: str, seed: int) -> None:
    world, golden = world_of(name, seed), golden_of(name, seed)
    for skill, text in skills_of(world).items():
        for split, (clean, expected) in zip(("val", "test"), golden["means"][skill], strict=True):
            assert world.clean_mean(split, text) == pytest.approx(clean, abs=1e-9)
            assert world.expected_mean(split, text) == pytest.approx(expected, abs=1e-9)
    assert [world.best_mean(split) for split in ("val", "test")] == pytest.approx(golden["best"], abs=1e-9)


@every_world
def test_proposals(name: str, seed: int) -> None:
    world, golden = world_of(name, seed), golden_of(name, seed)
    skills = skills_of(world)
    for skill, heard, answers in golden["proposals"]:
        for call, answer in enumerate(answers):
            edits = world.propose(skills[skill], FEEDBACKS[heard], call=call)
            assert signed(edits) == answer, (skill, heard, call)


@every_world
def test_many_proposals(name: str, seed: int) -> None:
    world = world_of(name, seed)
    heard = {key: said for key, said in FEEDBACKS.items() if key != "weak" or world.spec.diffuse}
    lines = [
        f"{skill} {key} {call} {signed(world.propose(text, said, call=call))}"
        for (skill, text), (key, said), call in product(skills_of(world).items(), heard.items(), range(20))
    ]
    assert digest(lines) == golden_of(name, seed)["proposal_sweep"]


def test_observed_scores_average_to_what_is_expected() -> None:
    """Errors aside, `expected` is the mean of `rollout`: here over 20 tasks with 200 trials each."""
    for name in ("slip.2", "length", "flaky", "soft", "mixed", "hard"):
        world = world_of(name, 0)
        text = skills_of(world)["trapped"]
        seen = [
            world.rollout(truth, text, trial=n).score
            for truth in world.splits["val"][:20]
            for n in range(200)
        ]
        scores = [score for score in seen if score is not None]
        expected = sum(world.expected(truth, text) for truth in world.splits["val"][:20]) / 20
        assert sum(scores) / len(scores) == pytest.approx(expected, abs=0.03), name


def test_only_the_lines_of_a_skill_count() -> None:
    """Order, wording and what stands around the lines are nothing to a simulated student."""
    world = World.named("slip.2")
    plain = text_of("R00 R03 T01")
    dressed = (
        "Intro.\n\n- T01: no\n- R03: something else\n  - R05: indented\n- R00:\n- Rxx: no tag\nR07: none\n"
    )
    for truth in world.splits["val"]:
        assert world.rollout(truth, plain, trial=1) == world.rollout(truth, dressed, trial=1)


def test_a_drop_names_the_line_as_it_stands() -> None:
    world = World(Spec(accuracy=1.0))
    skill = Skill.from_text("# Skill\n- T04: worded by somebody else\n- R00: stays\n")
    (edit,) = world.propose(skill.text, ["FAULT T04"], call=1)
    assert edit == Edit.delete("- T04: worded by somebody else")
    assert apply_edits(skill, [edit]).skill.text == "# Skill\n- R00: stays\n"


def test_perfect_teacher_and_all_rules_solve_a_clean_world() -> None:
    world = World(Spec(accuracy=1.0))
    skill = world.skill
    for k in range(12):
        told = [world.rollout(truth, skill.text, trial=1).feedback for truth in world.splits["train"]]
        skill = apply_edits(skill, world.propose(skill.text, told, call=k)).skill
    assert world.clean_mean("test", skill.text) == world.best_mean("test") == 1.0


def test_the_public_tasks_hide_the_truth() -> None:
    world = World.named("small")
    tasks = world.tasks(test=True)
    assert [len(tasks.train), len(tasks.selection), len(tasks.test)] == [12, 6, 200]
    assert world.tasks().test == ()
    assert {task.id for task in (*tasks.train, *tasks.selection, *tasks.test)} == set(world.truths)
    assert not any(
        tag in f"{task.prompt}{task.data}" for task in tasks.train for tag in ("R0", "R1", "T0", "T1")
    )


def test_an_unknown_world_is_named_with_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"'slip'; there are: dense, binary, slip\.1"):
        World.named("slip")


def test_a_line_carries_its_tag() -> None:
    assert tags_of(f"{line_of('R07')}\n{line_of('N99')}\n") == {"R07", "N99"}
