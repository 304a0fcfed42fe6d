"""SkillOpt's run folder, read as its users' scripts read it: the files there are, and what is in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

WHOLE = (
    "selection_eval_baseline",
    "final_selection_eval",
    "test_eval_baseline",
    "test_eval",
    "test_eval_final",
)
ROW = {"id", "hard", "soft", "fail_reason", "agent_ok"}
RECORD = {
    "step", "epoch", "step_in_epoch", "tokens", "rollout_hard", "rollout_soft", "rollout_n",
    "accumulation_batches", "n_patches", "n_failure_patches", "n_success_patches", "action", "current_score",
    "best_score", "best_step", "current_origin", "best_origin", "skill_len", "wall_time_s",
}  # fmt: skip
"""Of every step."""
JUDGED = {
    "n_edits_merged", "n_edits_ranked", "edit_budget", "lr_control_mode", "support_counts", "candidate_hash",
    "candidate_skill_len", "selection_hard", "selection_soft", "gate_metric", "candidate_gate_score",
}  # fmt: skip
"""Of a step whose candidate met the gate."""
BATCH = {"batch_idx", "batch_seed", "n_envs", "hard", "soft", "n_failure_patches", "n_success_patches"}
STATE = {
    "last_completed_step", "current_skill_path", "current_score", "current_origin", "best_skill_path",
    "best_score", "best_step", "best_origin",
}  # fmt: skip


def check_layout(folder: Path) -> list[dict[str, Any]]:
    """Assert that a run of the batch loop left everything there and readable; its history is handed back."""
    for path in folder.rglob("*.json"):
        json.loads(path.read_text(encoding="utf-8"))
    for path in folder.rglob("*.jsonl"):
        _lines(path)
    history: list[dict[str, Any]] = _json(folder / "history.json")
    assert history
    for record in history:
        _check_step(folder / "steps" / f"step_{record['step']:04d}", record)
        assert (folder / "skills" / f"skill_v{record['step']:04d}.md").is_file()
    for name in WHOLE:
        _check_attempts(folder / name)
        assert "hard" in _json(folder / name / "summary.json")
    _check_ends(folder, history)
    return history


def _check_ends(folder: Path, history: list[dict[str, Any]]) -> None:
    config, summary = _json(folder / "config.json"), _json(folder / "summary.json")
    assert config["student"]
    assert summary["finished"]
    assert summary["total_steps"] == len(history)
    assert summary["token_summary"]["_total"]["calls"] > 0
    state = _json(folder / "runtime_state.json")
    assert state.keys() >= STATE
    assert state["last_completed_step"] == history[-1]["step"]
    for name in ("current_skill_path", "best_skill_path"):
        assert not Path(state[name]).is_absolute()
        assert (folder / state[name]).is_file()
    ends = {"slow_update": "slow_result.json", "meta_skill": "meta_skill_result.json"}
    for epoch in range(1, history[-1]["epoch"]):  # of those that were run to their end
        for name in (name for name in ends if config["batch"][name]):
            assert "action" in _json(folder / name / f"epoch_{epoch:02d}" / ends[name])


def _check_step(folder: Path, record: dict[str, Any]) -> None:
    assert record.keys() >= RECORD, RECORD - record.keys()
    assert all(batch.keys() == BATCH for batch in record["accumulation_batches"])
    assert _json(folder / "step_record.json") == record
    assert (folder / "trajectory_digest.json").is_file()
    _check_attempts(folder / "rollout")
    patches = list((folder / "patches").glob("minibatch_*.json"))
    assert len(patches) == record["n_patches"]
    if record["action"].startswith("skip"):
        return
    assert record.keys() >= JUDGED, JUDGED - record.keys()
    for name in ("merged_patch.json", "ranked_edits.json", "candidate_skill.md"):
        assert (folder / name).is_file(), name
    _check_attempts(folder / "selection_eval")


def _check_attempts(folder: Path) -> None:
    rows = _lines(folder / "results.jsonl")
    assert rows
    for row in rows:
        assert row.keys() >= ROW
    talks = list((folder / "predictions").glob("*/conversation.json"))
    assert len(talks) == len({row["id"] for row in rows})
    assert all(_json(talk) for talk in talks)


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
