"""SkillOpt's layout for runs of the batch loop: every file it documents, with its names, and re-readable."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from sharpen.store import MemoryStore, SqliteStore, rebuild, write_projections
from sharpen.store.projections.conversation import conversation_of
from sharpen.store.projections.files import safe_name

from .batch_samples import ATIF, finish_batch_run, record_batch_run
from .samples import event

TOP = {
    "config.json",
    "history.json",
    "runtime_state.json",
    "summary.json",
    "best_skill.md",
    "lr_history.jsonl",
}


@pytest.fixture(scope="module")
def run_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("batch") / "run"
    store = SqliteStore.open(folder)
    record_batch_run(store)
    finish_batch_run(store)
    store.close()
    rebuild(folder)
    return folder


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_every_file_of_the_layout_is_there(run_dir: Path) -> None:
    assert names(run_dir) >= TOP
    assert names(run_dir / "skills") == {f"skill_v000{n}.md" for n in range(5)}
    rollout = {"results.jsonl", f"predictions/{safe_name('train/1')}/conversation.json"}
    first = names(run_dir / "steps/step_0001")
    assert {name for name in first if "/" not in name} == {
        "merged_patch.json",
        "ranked_edits.json",
        "lr_decision.json",
        "candidate_skill.md",
        "edit_apply_report.json",
        "appendix_notes.json",
        "probes.json",
        "trajectory_digest.json",
        "step_record.json",
    }
    assert {name.removeprefix("batch_0/rollout/") for name in first} >= rollout
    assert {"batch_0/patches/minibatch_fail_000.json", "batch_0/patches/minibatch_succ_000.json"} <= first
    assert {"batch_1/patches/minibatch_fail_000.json", "batch_1/rollout/results.jsonl"} <= first
    second = names(run_dir / "steps/step_0002")
    assert {"rollout/results.jsonl", "full_rewrite_result.json", "selection_eval/summary.json"} <= second
    assert names(run_dir / "steps/step_0003") == {"rollout/results.jsonl", "step_record.json"}
    assert names(run_dir / "slow_update/epoch_02") >= {
        "rollout_prev/results.jsonl",
        "rollout_curr/results.jsonl",
        "comparison_pairs.json",
        "comparison_pairs_all.json",
        "candidate_skill.md",
        "selection_eval/results.jsonl",
        "slow_result.json",
    }
    assert (run_dir / "meta_skill/epoch_02/meta_skill_result.json").is_file()
    for folder in ("final_selection_eval", "test_eval_baseline", "test_eval", "test_eval_final"):
        assert names(run_dir / folder) == {"results.jsonl", "summary.json"}


def test_history_has_skillopts_fields(run_dir: Path) -> None:
    history = load(run_dir / "history.json")
    assert [record["action"] for record in history] == [
        "accept_new_best",
        "reject",
        "skip_no_patches",
        "skip_no_decision",
    ]
    first = history[0]
    told = {key: first[key] for key in ("step", "epoch", "step_in_epoch", "rollout_n", "rollout_hard")}
    assert told == {"step": 1, "epoch": 1, "step_in_epoch": 1, "rollout_n": 4, "rollout_hard": 0.25}
    assert [batch["batch_seed"] for batch in first["accumulation_batches"]] == [1000, 1001]
    assert "rows" not in first["accumulation_batches"][0]
    assert (first["n_patches"], first["n_failure_patches"], first["n_success_patches"]) == (3, 2, 1)
    assert (first["n_edits_merged"], first["n_edits_ranked"], first["support_counts"]) == (2, 1, [3])
    assert (first["edit_budget"], first["lr_control_mode"]) == (1, "autonomous")
    assert first["edit_apply_summary"] == {"total": 1, "applied": 1, "skipped": 0, "errors": 0}
    assert (first["selection_hard"], first["candidate_gate_score"], first["gate_metric"]) == (
        1.0,
        1.0,
        "hard",
    )
    assert first["tokens"]["rollout"] == {
        "calls": 6,  # four attempts on train, two at the gate
        "prompt_tokens": 60,
        "completion_tokens": 12,
        "total_tokens": 72,
    }
    assert first == load(run_dir / "steps/step_0001/step_record.json")
    assert history[1]["rewrite_change_summary"] == ["all of it"]


def test_a_score_of_zero_is_a_score_and_a_skip_has_fewer_fields(run_dir: Path) -> None:
    _, rejected, skipped, _ = load(run_dir / "history.json")
    assert rejected["candidate_gate_score"] == 0.0
    assert rejected["selection_hard"] == 0.0
    assert "candidate_hash" not in skipped
    assert skipped["best_score"] == 0.5


def test_the_standing_follows_gates_and_slow_updates(run_dir: Path) -> None:
    history = load(run_dir / "history.json")
    assert [record["best_origin"] for record in history[:2]] == ["step_0001", "step_0001"]
    assert history[2]["best_origin"] == "slow_update_epoch_02"
    assert load(run_dir / "runtime_state.json") == {
        "last_completed_step": 4,
        "current_skill_path": "skills/skill_v0004.md",
        "current_score": 0.5,
        "current_origin": "slow_update_epoch_02",
        "best_skill_path": "best_skill.md",
        "best_score": 0.5,
        "best_step": 2,
        "best_origin": "slow_update_epoch_02",
    }
    texts = [(run_dir / f"skills/skill_v000{n}.md").read_text().split()[-1] for n in range(5)]
    assert texts == ["Skill", "d1", "d3", "d3", "d3"]  # the slow update replaces what step 2 left


def test_raw_patches_keep_what_the_analysts_said(run_dir: Path) -> None:
    patches = run_dir / "steps/step_0001"
    failure = load(patches / "batch_0/patches/minibatch_fail_000.json")
    assert (failure["source_type"], failure["batch_size"]) == ("failure", 1)
    assert failure["failure_summary"][0]["failure_type"] == "wrong"
    assert failure["patch"]["edits"][0]["content"] == "- rule 3"
    assert load(patches / "batch_0/patches/minibatch_succ_000.json") == {
        "batch_size": 1,
        "error": "not JSON",
        "source_type": "success",
    }
    suggestions = load(patches / "batch_1/patches/minibatch_fail_000.json")
    assert suggestions["patch"]["revise_suggestions"][0]["type"] == "add_rule"
    assert suggestions["appendix_notes"] == ["a rule was there"]


def test_the_ends_of_epochs(run_dir: Path) -> None:
    folder = run_dir / "slow_update/epoch_02"
    result = load(folder / "slow_result.json")
    told = [result[key] for key in ("action", "epoch", "slow_update_content", "prev_hard", "curr_hard")]
    assert told == ["accept", 2, "Keep it short.", 0.0, 0.5]
    assert (result["candidate_hash"], result["selection_hard"]) == ("d3", 0.5)
    assert [pair["category"] for pair in load(folder / "comparison_pairs.json")] == ["improved"]
    every = load(folder / "comparison_pairs_all.json")
    assert [pair["category"] for pair in every] == ["improved", "persistent_fail"]
    assert [row["trial"] for row in lines(folder / "rollout_curr/results.jsonl")] == [2, 2]
    meta = load(run_dir / "meta_skill/epoch_02/meta_skill_result.json")
    assert (meta["action"], meta["meta_skill_content"]) == ("write_meta_skill", "Small edits work.")
    assert load(run_dir / "meta_reflect/epoch_02/meta_reflect_result.json")["action"] == "skip"


def test_the_summary_has_scores_epochs_and_tokens_by_stage_and_role(run_dir: Path) -> None:
    summary = load(run_dir / "summary.json")
    scores = ("baseline_test_hard", "test_hard", "final_test_hard", "test_delta_hard", "final_selection_hard")
    assert [summary[name] for name in scores] == [0.0, 1.0, 1.0, 1.0, 1.0]
    assert summary["baseline_selection_hard"] is None  # no gate measured the start in this run
    assert [
        (one["epoch"], one["accepts"], one["rejects"], one["skips"]) for one in summary["epoch_stats"]
    ] == [
        (1, 1, 1, 0),
        (2, 0, 0, 2),
    ]
    tokens = summary["token_summary"]
    assert list(tokens) == [
        "analyst",
        "lr_autonomous",
        "meta_reflect",
        "ranking",
        "rollout",
        "slow_update",
        "_total",
    ]
    assert tokens["ranking"]["prompt_tokens"] == 200
    roles = summary["token_summary_by_role"]
    assert roles["teacher"]["prompt_tokens"] == 1500
    assert tokens["_total"]["total_tokens"] == sum(role["total_tokens"] for role in roles.values())
    assert summary["refused_edits"] == 1
    assert load(run_dir / "refused_edits.json")[0]["reason"] == "it quotes train/1"


def test_a_whole_rewrite_names_the_candidate_it_took(run_dir: Path) -> None:
    result = load(run_dir / "steps/step_0002/full_rewrite_result.json")
    assert result["selected_candidate"]["title"] == "t"
    assert result["merged_patch"]["skill_candidates"][0]["support_count"] == 2


def test_the_learning_rate_the_teacher_chose_is_kept(run_dir: Path) -> None:
    (entry,) = lines(run_dir / "lr_history.jsonl")
    assert entry == {"step": 1, "epoch": 1, "learning_rate": 1, "confidence": 0.5}
    assert load(run_dir / "steps/step_0001/lr_decision.json")["learning_rate"] == 1


def test_final_and_gate_attempts_of_one_skill_are_told_apart(run_dir: Path) -> None:
    gate = lines(run_dir / "slow_update/epoch_02/selection_eval/results.jsonl")
    final = lines(run_dir / "final_selection_eval/results.jsonl")
    assert [(row["trial"], row["hard"]) for row in gate] == [(1, 1.0), (1, 0.0)]
    assert [(row["trial"], row["hard"]) for row in final] == [(2, 1.0), (2, 1.0)]
    assert load(run_dir / "test_eval/summary.json")["overall"] == {"total": 1, "hard_acc": 1.0}


def test_conversations_are_written_where_there_is_a_trajectory(run_dir: Path) -> None:
    predictions = run_dir / "steps/step_0001/batch_0/rollout/predictions"
    assert load(predictions / safe_name("train/1") / "conversation.json") == conversation_of(ATIF)
    assert load(predictions / safe_name("train/2") / "conversation.json") == {"log": ["as it came"]}
    assert len(list(run_dir.rglob("predictions"))) == 1


def test_a_conversation_has_skillopts_items() -> None:
    assert conversation_of(ATIF) == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Count.\n[image]"},
        {"type": "tool_call", "cmd": "ls", "obs": "x\ny"},
        {"type": "tool_call", "cmd": 'read {"path": "x"}', "obs": "2"},
        {"type": "tool_call", "cmd": "", "obs": "a note of nobody's"},
        {"role": "assistant", "content": "2"},
    ]


@pytest.mark.parametrize(
    "hostile", ["../../etc", "a/b", ".", "..", "", "x" * 300, "a\0b", "ünï", "2024-06:17"]
)
def test_an_id_that_is_no_file_name_becomes_one_of_its_own(hostile: str) -> None:
    name = safe_name(hostile)
    assert "/" not in name
    assert name.isascii()
    assert not name.startswith(".")
    assert len(name) <= 100
    assert name != safe_name(hostile + "_")
    assert safe_name("item_12.a") == "item_12.a"


def test_both_stores_give_the_same_files_and_nothing_is_lost_by_deleting_them(
    run_dir: Path, tmp_path: Path
) -> None:
    store = MemoryStore()
    record_batch_run(store)
    finish_batch_run(store)
    write_projections(store, tmp_path / "memory")
    shutil.copytree(run_dir, tmp_path / "copy")
    for path in (tmp_path / "copy").iterdir():
        if path.is_dir():
            shutil.rmtree(path)
    rebuild(tmp_path / "copy")
    ours, theirs = (
        {name for name in names(tmp_path / "copy") if not name.startswith("run.")},
        names(tmp_path / "memory"),
    )
    assert ours == theirs
    differing = {
        name
        for name in ours
        if (tmp_path / "copy" / name).read_bytes() != (tmp_path / "memory" / name).read_bytes()
    }
    assert differing <= {"summary.json"}  # it holds the seconds


def test_an_unfinished_run_has_what_it_has(tmp_path: Path) -> None:
    store = MemoryStore()
    record_batch_run(store)
    write_projections(store, tmp_path)
    assert (tmp_path / "best_skill.md").read_text() == "# Skill\n- rule d3\n"
    assert not (tmp_path / "test_eval").exists()
    summary = load(tmp_path / "summary.json")
    assert (summary["finished"], summary["test_hard"]) == (False, None)


def test_a_step_event_that_says_almost_nothing_is_still_a_record(tmp_path: Path) -> None:
    store = MemoryStore()
    store.add_event(event(1, "step"))
    store.add_event(event(2, "slow_update"))
    write_projections(store, tmp_path)
    (record,) = load(tmp_path / "history.json")
    assert (record["action"], record["rollout_n"], record["best_score"]) == (None, 0, None)
