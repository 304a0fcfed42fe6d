"""Leaving parts out: who is kept, who harms, what is only open; and nothing dropped without evidence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sharpen.errors import ProviderError, SettingsError, UsageError
from sharpen.evaluate.pruning import PruneSettings, Pruning, evidence_needed, most_attempts, prune
from sharpen.simulate import uniform
from sharpen.skills import Skill, parts_of, without
from sharpen.types import Budget, Task, TaskSet

from .players import Answering, Player, lucky, tasks

SKILL = Skill.from_text("# S\n- helps\n- harms\n- idle\n")
HELD = TaskSet(train=[Task("train")], selection=tasks(20))


def pruned(
    answer: Answering, skill: Skill = SKILL, *, rollouts: int | None = None, **more: object
) -> Pruning:
    budget = None if rollouts is None else Budget(rollouts=rollouts)
    settings = PruneSettings(**more)  # type: ignore[arg-type]
    return prune(skill, parts_of(skill), HELD, Player(answer), budget, settings)


def honest(task: Task, skill: Skill, trial: int) -> float:
    """Odd tasks need `helps`, even ones fail under `harms`."""
    odd = int(task.id[1:]) % 2
    return float("helps" in skill.text if odd else "harms" not in skill.text)


def test_each_part_gets_its_verdict_with_an_effect() -> None:
    found = pruned(honest)
    assert [worth.verdict for worth in found.parts] == ["keep", "harms", "no evidence it helps"]
    helps, harms, idle = found.parts
    assert helps.effect is not None and helps.effect.low > 0
    assert harms.effect is not None and harms.effect.high < 0
    assert idle.effect is not None and idle.effect.low < 0 < idle.effect.high
    assert idle.pairs == 60 > helps.pairs
    assert (helps.wins, helps.losses, harms.wins) == (helps.pairs - helps.ties, 0, 0)
    assert found.dropped == (harms,)
    assert found.pruned == Skill("# S\n- helps\n- idle\n")
    assert found.together is None
    assert found.tokens_saved == harms.tokens > 0


def test_what_is_worth_next_to_nothing_goes_only_when_asked() -> None:
    found = pruned(honest, drop_below=0.2)
    assert [worth.part.text for worth in found.dropped] == ["- harms", "- idle"]
    assert found.together is not None
    assert found.pruned == Skill("# S\n- helps\n")
    assert pruned(honest, drop_below=0.01).pruned == Skill("# S\n- helps\n- idle\n")


def test_parts_that_stand_in_for_each_other_are_not_dropped_together() -> None:
    skill = Skill.from_text("# S\n- say moin\n- say moin, please\n")
    found = pruned(lambda task, skill, trial: float("moin" in skill.text), skill, drop_below=0.2)
    assert [worth.verdict for worth in found.parts] == ["no evidence it helps"] * 2
    assert len(found.dropped) == 2
    assert found.together is not None and found.together.verdict == "keep"
    assert found.pruned is None
    assert found.tokens_saved == 0


def test_a_budget_that_ends_leaves_the_verdict_open() -> None:
    found = pruned(honest, rollouts=12)
    assert {worth.verdict for worth in found.parts} == {"no evidence it helps"}
    assert all("the budget ended" in worth.reason for worth in found.parts)
    assert found.spent["rollouts"] <= 12
    assert found.pruned is None


def test_the_whole_skills_attempts_are_shared() -> None:
    student = Player(lambda task, skill, trial: 1.0)
    found = prune(SKILL, parts_of(SKILL), HELD, student, settings=PruneSettings(passes=2))
    assert found.spent["rollouts"] == 2 * 20 * 4
    assert sum(text == SKILL.text for text, _, _ in student.asked) == 2 * 20
    assert found.spent["rollouts"] <= most_attempts(3, 20, PruneSettings(passes=2))


def test_nothing_measured_is_an_error_and_errors_are_no_losses() -> None:
    with pytest.raises(ProviderError, match="down"):
        pruned(lambda task, skill, trial: None)
    found = pruned(lambda task, skill, trial: None if task.id == "t3" else honest(task, skill, trial))
    assert [worth.verdict for worth in found.parts][:2] == ["keep", "harms"]


def test_mistakes_are_named() -> None:
    with pytest.raises(UsageError, match="nothing to prune"):
        pruned(honest, Skill.from_text("# only a title\n"))
    with pytest.raises(SettingsError, match="drop_below"):
        PruneSettings(drop_below=0)


def test_asking_again_pays_only_for_what_is_new(tmp_path: Path) -> None:
    def once(answer: Answering) -> tuple[Pruning, Player]:
        student = Player(answer)
        return prune(
            SKILL, parts_of(SKILL), HELD, student, None, PruneSettings(seed=3), tmp_path / "kept"
        ), student

    first, paid = once(honest)
    again, free = once(lambda task, skill, trial: RuntimeError("must not be asked"))
    assert paid.asked
    assert not free.asked
    assert again == first


def test_the_result_does_not_depend_on_who_finishes_first() -> None:
    def slow(order: Callable[[Task, int], int]) -> Pruning:
        student = Player(lucky(0.6), turns=order)
        return prune(SKILL, parts_of(SKILL), HELD, student, settings=PruneSettings(concurrency=7))

    assert slow(lambda task, trial: int(task.id[1:]) % 5) == slow(lambda task, trial: 3 * trial)


def test_luck_is_rarely_taken_for_evidence() -> None:
    """Under "no part matters" the chance of any verdict is at most alpha; far fewer than 5 % of runs here."""
    wrong = 0
    for seed in range(200):
        found = pruned(lucky(0.5, seed=seed), passes=4, alpha=0.05)
        wrong += any(worth.verdict != "no evidence it helps" for worth in found.parts)
    assert wrong <= 12


def test_a_noisy_part_is_found_out_in_time() -> None:
    def noisy(task: Task, skill: Skill, trial: int) -> float:
        chance = 0.3 + 0.5 * ("helps" in skill.text)
        return float(uniform(7, task.id, skill.text, trial) < chance)

    helps = pruned(noisy, passes=10).parts[0]
    assert helps.verdict == "keep"
    assert helps.evidence >= evidence_needed(3, 0.05)


def test_files_are_parts(tmp_path: Path) -> None:
    skill = Skill.from_text("# S\n", files={"references/a.md": b"moin\n", "references/b.md": b"bye\n"})
    found = pruned(lambda task, one, trial: float("references/a.md" in one.files), skill, drop_below=0.2)
    assert [worth.verdict for worth in found.parts] == ["keep", "no evidence it helps"]
    assert found.pruned == without(skill, [parts_of(skill)[1]])
    assert list(found.pruned.files) == ["references/a.md"]
