"""What became of an edit: SkillOpt's statuses and report shape, with our statuses and a reason added.

Only the record is here; `apply.py` decides which status an edit gets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sharpen.skills.edits import Edit

Status = Literal[
    # SkillOpt's
    "applied_append",
    "applied_append_before_protected_region",
    "applied_insert_after",
    "applied_insert_after_fallback_append",
    "applied_insert_after_fallback_before_protected_region",
    "applied_replace",
    "applied_delete",
    "skipped_protected_region",
    "skipped_replace_missing_target",
    "skipped_replace_target_not_found",
    "skipped_delete_missing_target",
    "skipped_delete_target_not_found",
    "skipped_unknown_op",
    "error",
    # ours
    "skipped_ambiguous_target",
    "skipped_duplicate",
    "skipped_file_not_text",
    "skipped_file_out_of_reach",
    "skipped_no_change",
    "skipped_over_budget",
    "skipped_unreadable_result",
]
PREVIEW = 200  # characters of target and content kept in a report


@dataclass(frozen=True, slots=True)
class EditReport:
    """What became of one edit; `index` counts from 1, as SkillOpt's does."""

    index: int
    op: str
    target: str
    content_preview: str
    status: Status
    reason: str
    file: str = ""  # empty is SKILL.md

    @classmethod
    def on(cls, index: int, edit: Edit, *, status: Status, reason: str) -> EditReport:
        op, target, content = _preview(edit.op), _preview(edit.target), _preview(edit.content)
        return cls(index, op, target, content, status, reason, _preview(edit.file) if edit.file else "")

    @property
    def took_effect(self) -> bool:
        return self.status.startswith("applied")

    def to_json(self) -> dict[str, object]:
        """SkillOpt's `edit_apply_report.json` entry, with our `reason` and, where there is one, `file`."""
        entry: dict[str, object] = {
            "index": self.index,
            "op": self.op,
            "target": self.target,
            "content_preview": self.content_preview,
            "status": self.status,
            "reason": self.reason,
        }
        if self.file:
            entry["file"] = self.file
        if self.status == "error":
            entry["error"] = self.reason
        return entry


def _preview(value: object) -> str:
    if isinstance(value, str):
        return value[:PREVIEW]
    return "" if value is None else repr(value)[:PREVIEW]
