"""The batch loop step by step: what is asked, what is chosen, what is remembered, what is refused."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import sharpen
from sharpen import BatchSettings, Budget, Edit, SettingsError, Skill, TrainSettings
from sharpen.skills import with_region
from sharpen.train.batch.merging import Merging
from sharpen.train.batch.reflecting import Patch
from sharpen.train.means import Means
from sharpen.types import Json

from .classroom import KINDS, START, Master, Pupil, classroom, of_kind, rule, train

QUIET: Json = {"slow_update_content": ""}
NOTES: Json = {"meta_skill_content": ""}


def master(**answers: Any) -> Master:
    return Master(**{"slow_update": QUIET, "meta_skill": NOTES, **answers})


def test_every_rule_is_learned_and_the_run_says_how_it_ended() -> None:
    teacher = master()
    result = train(teacher, merging="plain", epochs=6)
    assert all(rule(kind) in result.skill.text for kind in range(KINDS))
    assert result.reason == "converged"
    assert teacher.asked["merge"] == teacher.asked["rank"] == 0
    assert result.gain is not None
    assert result.gain.mean == 1


def test_a_step_tells_what_it_did() -> None:
    result = train(master(), merging="plain", epochs=2)
    first = of_kind(result, "step")[0]
    assert (first["step"], first["epoch"], first["step_in_epoch"]) == (1, 1, 1)
    (batch,) = first["batches"]
    assert batch["n_envs"] == len(batch["rows"]) == 10
    assert batch["hard"] == 0
    assert batch["n_failure_patches"] == 3
    assert {row["trial"] for row in batch["rows"]} == {1}
    assert len(first["ranked"]["edits"]) == first["edit_budget"] == 4
    assert first["digest"]["n_fail"] == 10
    assert first["action"] == "accept_new_best"
    assert first["current"] == first["candidate"] != first["skill"]


def test_minibatches_hold_failures_or_successes_never_both() -> None:
    teacher = master()
    train(teacher, merging="plain", failure_only=False, epochs=2, learning_rate=2)
    assert {frozenset(outcomes) for outcomes in teacher.evidence} == {
        frozenset({"failed"}),
        frozenset({"solved"}),
    }
    assert max(map(len, teacher.evidence)) == 4


def test_support_is_added_up_and_the_best_supported_are_used() -> None:
    result = train(master(), merging="plain", epochs=1, learning_rate=2)
    step = of_kind(result, "step")[0]
    supports = [edit["support_count"] for edit in step["merged"]["edits"]]
    used = [edit["support_count"] for edit in step["ranked"]["edits"]]
    assert used == sorted(supports, reverse=True)[:2]
    assert sum(supports) == sum(len(patch["patch"]["edits"]) for patch in step["patches"])


def test_a_model_merges_and_ranks_and_support_comes_from_its_sources() -> None:
    def merge(skill: Skill, evidence: object, material: Json) -> Json:
        items = material["items"]
        by_content: dict[str, list[int]] = {}
        for i, item in enumerate(items):
            by_content.setdefault(item["content"], []).append(i)
        merged = [{**items[own[0]], "support_count": 999, "sources": own} for own in by_content.values()]
        return {"items": [*merged, {"op": "append", "content": "- Out of nowhere."}], "reasoning": "joined"}

    def rank(skill: Skill, evidence: object, material: Json) -> Json:
        return {"selected_indices": [99, 1, 1, "0", 0], "reasoning": "these"}

    teacher = master(merge=merge, rank=rank)
    result = train(teacher, merging="model", epochs=1, learning_rate=2)
    step = of_kind(result, "step")[0]
    assert teacher.asked["merge"] >= 1
    assert step["merged"]["reasoning"] == "joined"
    assert all(edit["support_count"] < 40 and edit["merge_level"] == 1 for edit in step["merged"]["edits"])
    assert "Out of nowhere" not in str(step["merged"])
    assert step["ranked"]["ranking_details"]["selected_indices"] == [1, 0]


@pytest.mark.parametrize(
    ("one", "other", "united"),
    [
        ("- Answer with the year only.", "- Always answer with the year only.", True),
        ("- Quote every variable.", "- quote  every variable", True),
        ("- Use upper case letters only.", "- Use lower case letters only.", False),
        ("- Add a Receipts row to the table.", "- Add an Outlays row to the table.", False),
        ("- Round to 2 digits.", "- Round to 3 digits.", False),
        ("- Explain the answer.", "- Do not explain the answer.", False),
    ],
)
def test_what_counts_as_the_same_rule(one: str, other: str, united: bool) -> None:
    items = [{**Edit.append(content).to_json(), "support_count": 2} for content in (one, other)]
    patches = [
        Patch("fail", i, 4, ({**item, "source_type": "failure", "merge_level": 0},), {})
        for i, item in enumerate(items)
    ]
    means = SimpleNamespace(
        runner=SimpleNamespace(advises=False), settings=TrainSettings(), plan=SimpleNamespace(search=0)
    )
    pool = asyncio.run(Merging(cast(Means, means), "edits").merge(patches, START))
    assert [item["support_count"] for item in pool.items] == ([4] if united else [2, 2])


def test_a_merge_that_fails_is_made_without_a_model() -> None:
    def broken(skill: Skill, evidence: object, material: Json) -> Json:
        raise ValueError("no idea")

    teacher = master(merge=broken, rank=broken)
    result = train(teacher, merging="model", epochs=6)
    assert all(rule(kind) in result.skill.text for kind in range(KINDS))


def test_edits_that_contradict_each_other_do_not_both_go_in() -> None:
    class Contrary(Master):
        async def propose(self, skill: Skill, evidence: Any, **more: Any) -> list[Edit]:
            first = evidence[0].task.data["kind"] % 2
            return [Edit.replace("Be exact.", "Be kind." if first else "Be quick.")]

    result = train(Contrary(slow_update=QUIET, meta_skill=NOTES), merging="plain", epochs=1, minibatch=1)
    for step in of_kind(result, "step"):
        assert len(step["merged"]["edits"]) == 1


def test_what_was_refused_is_told_to_later_reflections() -> None:
    class Stubborn(Master):
        async def propose(self, skill: Skill, evidence: Any, **more: Any) -> list[Edit]:
            await super().propose(skill, evidence, **more)
            return [Edit.append("- Hurry up.")]

    teacher = Stubborn(slow_update=QUIET, meta_skill=NOTES)
    result = train(teacher, epochs=2, rollouts=900)
    assert not result.accepted
    told = [memory for matter, _, memory in teacher.materials if matter == "edits"]
    assert told[0] == ""
    assert any("refused: append - Hurry up." in memory for memory in told)
    assert any("no rule" in memory for memory in told)


@pytest.mark.parametrize("mode", ["rewrite_from_suggestions", "full_rewrite_minibatch"])
def test_rewrites_keep_protected_regions(mode: str) -> None:
    start = with_region(START, "slow_update", "Keep calm.\nNever guess.")
    rules = "\n".join(rule(kind) for kind in range(KINDS))
    new = f"# New\n\n{rules}\n\n<!-- SLOW_UPDATE_START -->\nhacked\n<!-- SLOW_UPDATE_END -->\n"
    suggestion = {"type": "add_rule", "title": "all", "motivation": "", "instruction": "add all"}
    teacher = master(
        suggestions={"revise_suggestions": [suggestion]},
        candidates={"skill_candidates": [{"title": "all", "change_summary": [], "new_skill": new}]},
        rewrite={"new_skill": new, "change_summary": ["all"], "reasoning": ""},
    )
    settings = TrainSettings(
        loop="batch",
        batch=BatchSettings(batch_size=10, epochs=1, failure_only=True, mode=mode),  # type: ignore[arg-type]
    )
    result = sharpen.train(start, classroom(), Pupil(), teacher, Budget(rollouts=600), settings)
    assert result.accepted
    assert "Keep calm.\nNever guess." in result.skill.text
    assert "hacked" not in result.skill.text
    assert rule(4) in result.skill.text


def test_a_plain_teacher_cannot_be_asked_to_rewrite() -> None:
    class Plain:
        async def propose(self, skill: Skill, evidence: Any, **more: Any) -> list[Edit]:
            return []

    for batch in ({"mode": "rewrite_from_suggestions"}, {"limit": "teacher"}, {"deep_reflect": True}):
        with pytest.raises(SettingsError, match="advise"):
            train(Plain(), **batch)


def test_the_teacher_may_set_the_edit_budget() -> None:
    teacher = master(rate={"learning_rate": 1, "reasoning": "", "confidence": 1, "risk_notes": ""})
    result = train(teacher, merging="plain", epochs=1, limit="teacher")
    steps = [step for step in of_kind(result, "step") if step["merged"]]
    assert {step["edit_budget"] for step in steps} == {1}
    assert {len(step["ranked"]["edits"]) for step in steps} == {1}
    assert {step["lr_control_mode"] for step in steps} == {"autonomous"}


def test_a_teacher_that_cannot_set_it_leaves_it_to_the_schedule_and_the_step_says_so() -> None:
    result = train(master(rate={"learning_rate": "many"}), merging="plain", epochs=1, limit="teacher")
    step = next(step for step in of_kind(result, "step") if step["merged"])
    assert step["edit_budget"] == step["lr_decision"]["learning_rate"] == 4
    assert "no usable answer" in step["lr_decision"]["reasoning"]


def test_lapses_go_into_the_appendix_through_the_gate() -> None:
    teacher = master(consolidate={"notes": ["one lapse"]})
    result = train(teacher, merging="plain", epochs=2, skill_aware=True, consolidate_above=3)
    assert "<!-- APPENDIX_START -->" in result.skill.text
    assert teacher.asked["consolidate"] >= 1
    gates = {gate["candidate"] for gate in of_kind(result, "gate")}
    assert all(step["candidate"] in gates for step in of_kind(result, "step") if step["candidate"])


def test_probes_run_before_reflection_and_their_findings_are_told() -> None:
    def probe(skill: Skill, evidence: Any, material: Json) -> Json:
        if material["turn"] > 1:
            assert material["found"][0]["outcome"] == "solved"
            return {"probes": []}
        task = evidence[0].task
        edit = Edit.append(rule(task.data["kind"])).to_json()
        return {"probes": [{"task": task.id, "question": "Why?", "edits": [edit]}, {"task": "nobody"}]}

    teacher = master(probe=probe)
    result = train(teacher, merging="plain", epochs=1, deep_reflect=True)
    assert of_kind(result, "probe")
    told = [memory for matter, _, memory in teacher.materials if matter == "edits"]
    assert all("What probes found" in memory and "asked 'Why?'" in memory for memory in told[:2])


class Blind(Master):
    """Learns the rules of the first two kinds only."""

    async def propose(self, skill: Skill, evidence: Any, **more: Any) -> list[Edit]:
        edits = await super().propose(skill, evidence, **more)
        return [edit for edit in edits if edit.content in (rule(0), rule(1))]


def test_guidance_between_epochs_passes_the_gate_or_is_refused() -> None:
    """The guidance holds a rule that the steps never find: it is what lets the tasks of that kind pass."""

    def guide(skill: Skill, evidence: object, material: Json) -> Json:
        assert set(material["comparison"]) == {"improved", "regressed", "persistent", "stable"}
        return {"slow_update_content": rule(4), "reasoning": "persistent failures"}

    teacher = Blind(slow_update=guide, meta_skill={"meta_skill_content": "Look at kind 4."})
    result = train(teacher, merging="plain", epochs=4, slow_update_samples=10)
    updates = of_kind(result, "slow_update")
    assert updates[0]["action"] == "skip"
    assert "accept" in [update["action"] for update in updates]
    assert f"<!-- SLOW_UPDATE_START -->\n{rule(4)}\n<!-- SLOW_UPDATE_END -->" in result.skill.text
    accepted = next(update for update in updates if update["action"] == "accept")
    assert {pair["category"] for pair in accepted["pairs"]} <= {
        "improved",
        "regressed",
        "persistent",
        "stable",
    }
    assert any(
        g["candidate"] == accepted["candidate"] and g["of"] == "slow_update" for g in of_kind(result, "gate")
    )
    assert any("Look at kind 4." in memory for matter, _, memory in teacher.materials if matter == "edits")
    assert "Look at kind 4." not in result.skill.text


def test_useless_guidance_is_refused() -> None:
    teacher = Blind(slow_update={"slow_update_content": "Try harder."}, meta_skill=NOTES)
    result = train(teacher, merging="plain", epochs=3, rollouts=1400)
    assert "Try harder." not in result.skill.text
    assert "reject" in [update["action"] for update in of_kind(result, "slow_update")]


def test_edits_from_the_history_pass_the_gate() -> None:
    found = {"edits": [Edit.append(rule(4)).to_json(), {"op": "sing"}]}
    teacher = Blind(slow_update=QUIET, meta_skill=NOTES, meta_reflect=found)
    result = train(teacher, merging="plain", epochs=1, meta_reflect=True)
    (record,) = of_kind(result, "meta_reflect")
    assert record["action"] == "accept"
    assert rule(4) in result.skill.text
    history = next(
        material["history"] for matter, material, _ in teacher.materials if matter == "meta reflect"
    )
    assert len(history) == 4


def test_accumulation_reflects_on_several_batches_before_one_update() -> None:
    result = train(master(), merging="plain", epochs=1, accumulation=2)
    steps = of_kind(result, "step")
    assert [len(step["batches"]) for step in steps] == [2] * len(steps)


def test_a_resumed_run_asks_nothing_again(tmp_path: Path) -> None:
    batch = {"merging": "model", "epochs": 2, "skill_aware": True}

    def merge(skill: Skill, evidence: object, material: Json) -> Json:
        return {
            "items": [{**item, "sources": [i]} for i, item in enumerate(material["items"])],
            "reasoning": "",
        }

    answers: dict[str, Any] = {"merge": merge, "rank": {"selected_indices": [0, 1], "reasoning": ""}}
    first = train(master(**answers), run_dir=tmp_path / "run", **batch)
    with sqlite3.connect(tmp_path / "run" / "run.db") as database:
        database.execute("DELETE FROM facts WHERE name = 'result'")
    again = master(**answers)
    second = train(again, run_dir=tmp_path / "run", **batch)
    assert second.history == first.history
    assert second.skill.text == first.skill.text
    assert not again.asked
