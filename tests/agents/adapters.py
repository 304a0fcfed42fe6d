"""EnvAdapters in the shape that SkillOpt documents, written against no part of it: they run anywhere.

They score whether the skill holds the rule that an item needs, and can be told to misbehave.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RULES = {"a": "Say please.", "b": "Say thanks."}


def items_of(split: str, count: int) -> list[dict[str, Any]]:
    return [
        {"id": f"{split}-{n}", "question": f"Is {split} {n} polite?", "needs": "ab"[n % 2]}
        for n in range(count)
    ]


class Loader:
    """What a SplitDataLoader offers once it is set up."""

    def __init__(self, split_dir: str = "", limit: int = 0) -> None:
        self.split_dir, self.limit = split_dir, limit
        self._splits: dict[str, list[dict[str, Any]]] = {}

    def setup(self, cfg: dict[str, Any]) -> None:
        assert Path(cfg["out_root"]).is_dir()
        print("  [Loader] reading")  # noqa: T201  as SkillOpt's own do
        sizes = {"train": 6, "val": 4, "test": 4}
        self._splits = {name: items_of(name, self.limit or size) for name, size in sizes.items()}

    @property
    def train_items(self) -> list[dict[str, Any]]:
        return self._splits["train"]

    @property
    def val_items(self) -> list[dict[str, Any]]:
        return self._splits["val"]

    @property
    def test_items(self) -> list[dict[str, Any]]:
        return self._splits["test"]


class PoliteAdapter:
    """With a loader: items come in batches, environments are lists of items."""

    def __init__(self, limit: int = 0, misbehave: str = "") -> None:
        self.dataloader = Loader(limit=limit)
        self.misbehave = misbehave
        self.seen: list[tuple[str, int, dict[str, Any]]] = []

    def setup(self, cfg: dict[str, Any]) -> None:
        self._cfg = dict(cfg)
        self.dataloader.setup(cfg)

    def get_dataloader(self) -> Loader:
        return self.dataloader

    def requires_ray(self) -> bool:
        return False

    def get_task_types(self) -> list[str]:
        return ["politeness"]

    def build_env_from_batch(self, batch: Any, **kwargs: Any) -> list[dict[str, Any]]:
        self.seen.append((batch.phase, batch.seed, kwargs))
        assert batch.batch_size == len(batch.payload)
        return self.dataloader.train_items[:1] if self.misbehave == "stray" else list(batch.payload)

    def build_train_env(self, batch_size: int, seed: int, **kwargs: Any) -> list[dict[str, Any]]:
        return self.dataloader.train_items[:batch_size]

    def build_eval_env(self, env_num: int, split: str, seed: int, **kwargs: Any) -> list[dict[str, Any]]:
        return getattr(self.dataloader, f"{split}_items")[: env_num or None]

    def rollout(
        self, env_manager: list[dict[str, Any]], skill_content: str, out_dir: str, **kwargs: Any
    ) -> list[dict[str, Any]]:
        self.told = kwargs
        assert not any(Path(out_dir).iterdir())  # a fresh folder each time
        if self.misbehave == "raise":
            raise RuntimeError("the model is not there")
        return [self._row(item, skill_content, Path(out_dir)) for item in env_manager]

    def _row(self, item: dict[str, Any], skill: str, out_dir: Path) -> dict[str, Any]:
        rule = RULES[item["needs"]]
        right = rule in skill
        home = out_dir / "predictions" / item["id"]
        home.mkdir(parents=True)
        talk = [
            {"type": "message", "turn": 1, "content": "I look."},
            {"type": "tool_call", "cmd": "ls", "obs": "notes.txt"},
            {"step": 1, "action": "open notes", "env_feedback": "it opens", "reasoning": "why not"},
            {"role": "system", "content": f"[EVALUATION RESULT] {right}"},
        ]
        (home / "conversation.json").write_text(json.dumps(talk))
        row = {"id": item["id"], "hard": int(right), "soft": float(right), "agent_ok": True}
        faults = {
            "dead": {"agent_ok": False, "fail_reason": "error: 401"},
            "late": {"phase": "timeout", "fail_reason": "task-timeout-600s"},
            "odd": {"hard": 7},
            "error": {"error": "the sandbox broke"},
        }
        reason = "" if right else f"missing: {rule}"
        return {**row, "fail_reason": reason, **faults.get(self.misbehave, {})}


class PlainAdapter:
    """Without a loader, as older adapters are: environments are lists of items, fractions are hard scores."""

    def build_train_env(self, batch_size: int, seed: int, **kwargs: Any) -> list[dict[str, Any]]:
        return items_of("train", batch_size)

    def build_eval_env(self, env_num: int, split: str, seed: int, **kwargs: Any) -> list[dict[str, Any]]:
        return items_of(split, env_num or 3)

    def rollout(
        self, env_manager: list[dict[str, Any]], skill_content: str, out_dir: str, **kwargs: Any
    ) -> list[dict[str, Any]]:
        return [{"id": item["id"], "hard": 0.5, "soft": 0.25} for item in env_manager]

    def get_task_types(self) -> list[str]:
        return ["plain"]


class Simulator(PlainAdapter):
    """Its environments are objects, so nobody knows its items."""

    def build_eval_env(self, env_num: int, split: str, seed: int, **kwargs: Any) -> Any:
        return object()
