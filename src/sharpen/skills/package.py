"""Edits to the files beside SKILL.md: which of them a step may reach, and what becomes of the file.

A step may write below references/, scripts/ and assets/, under plain names that every file system can hold
and no other name collides with. Files are bytes; one that is not UTF-8 is left alone. Regions and frontmatter
mean nothing in them: those are SKILL.md's. Nothing here touches a disk.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from sharpen.skills.edits import Edit
from sharpen.skills.folder import MAX_BYTES, MAX_FILES, SKILL_FILE, SKIPPED
from sharpen.skills.splice import Outcome, Text, splice

FOLDERS = ("references", "scripts", "assets")
"""The folders that the Agent Skills standard names."""
MAX_PATH = 200  # bytes of a path; file systems allow 255 for a single name
_PART = re.compile(r"[\w-][\w .@+-]*(?<![ .])")

Files = Mapping[str, bytes]


def edit_file(files: Files, edit: Edit, *, first: bool) -> tuple[Outcome, Files]:
    """Carry out an edit that names a file: what was done, and the files after it."""
    path = edit.file
    refused = _refused(path, files)
    if refused is not None:
        return refused, files
    old = as_text(files.get(path, b""))
    if old is None:
        return Outcome(None, "skipped_file_not_text", f"{path} is not UTF-8 text"), files
    outcome = splice(Text(old), edit, first=first)
    if outcome.text is None:
        return _about_missing(outcome, path, files), files
    if outcome.text == old:
        return Outcome(None, "skipped_no_change", "the result equals the file before"), files
    return _written(files, path, outcome, outcome.text)


def as_text(data: bytes) -> str | None:
    """The text of a file; None when it is not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _refused(path: object, files: Files) -> Outcome | None:
    if not isinstance(path, str):
        return Outcome(None, "error", f"the edit's file is {type(path).__name__}, not a string")
    problem = _problem(path, files)
    return Outcome(None, "skipped_file_out_of_reach", problem) if problem else None


def _problem(path: str, files: Files) -> str:
    """Why a step may not write this file; empty when it may."""
    parts = path.split("/")
    if _folded(path).endswith(_folded(SKILL_FILE)) and (len(parts) == 1 or parts[0] in ("", ".")):
        return f"the edit names {SKILL_FILE}; leave `file` out to edit it"
    if parts[0] not in FOLDERS or len(parts) < 2:
        return f"a step writes files below {', '.join(FOLDERS)} only"
    if not all(_PART.fullmatch(part) and part not in SKIPPED for part in parts):
        return "the path is not plain; write it like references/units.md"
    if len(path.encode()) > MAX_PATH:
        return f"the path has more than {MAX_PATH} bytes"
    return "" if path in files else _collision(path, files)


def _collision(path: str, files: Files) -> str:
    """A new file must not share its name with a folder, nor with a file where letter case does not count."""
    new = _folded(path)
    for name in files:
        old = _folded(name)
        if new == old or new.startswith(f"{old}/") or old.startswith(f"{new}/"):
            return f"its name collides with the skill's file {name}"
    return ""


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()


def _about_missing(outcome: Outcome, path: str, files: Files) -> Outcome:
    if path in files or not outcome.status.endswith("target_not_found"):
        return outcome
    return outcome._replace(reason=f"the skill has no file {path}")


def _written(files: Files, path: str, outcome: Outcome, text: str) -> tuple[Outcome, Files]:
    """The files with the new text in them; a file of which nothing is left is removed."""
    rest = {name: data for name, data in files.items() if name != path}
    if not text.strip():
        return outcome._replace(reason=f"nothing is left of {path}; removed the file"), rest
    try:
        after = {**rest, path: text.encode("utf-8")}
    except UnicodeEncodeError:
        reason = "the result holds half of a surrogate pair, which no file can"
        return Outcome(None, "skipped_unreadable_result", reason), files
    if len(after) > MAX_FILES or sum(map(len, after.values())) > MAX_BYTES:
        reason = f"the skill would have more than {MAX_FILES} files or {MAX_BYTES // 1_000_000} MB"
        return Outcome(None, "skipped_unreadable_result", reason), files
    return outcome if path in files else outcome._replace(reason=f"made {path}"), after
