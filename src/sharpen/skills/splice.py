"""One edit carried out in one text: find the place, splice, and say what was done or why nothing was.

The text is searched between the parts that must not change, so an edit cannot reach them; whether the result
may stand is for the caller to check. Files, skills and sequences of edits are not known here.
"""

from __future__ import annotations

from typing import NamedTuple

from sharpen.skills.edits import Edit
from sharpen.skills.markdown import block, has_lines, is_blank_to_line_end, needs_blank_line, whole_line
from sharpen.skills.regions import Region, editable_spans, strip_markers, tail_start
from sharpen.skills.reports import Status


class Text(NamedTuple):
    """A text with what must not change in it: everything before `start`, and the regions."""

    text: str
    start: int = 0
    regions: tuple[Region, ...] = ()


class Outcome(NamedTuple):
    """The new text, or None when the edit had no effect."""

    text: str | None
    status: Status
    reason: str


def splice(current: Text, edit: Edit, *, first: bool) -> Outcome:
    """Carry out the edit, or say why it has no effect. A target must be unique unless `first` takes any."""
    for name, value in (("target", edit.target), ("content", edit.content)):
        if not isinstance(value, str):
            return Outcome(None, "error", f"the edit's {name} is {type(value).__name__}, not a string")
    if edit.op == "append":
        return _append(current, edit.content)
    if edit.op == "insert_after":
        return _insert_after(current, edit, first=first)
    if edit.op == "replace":
        return _replace(current, edit, first=first)
    if edit.op == "delete":
        return _delete(current, edit, first=first)
    return Outcome(None, "skipped_unknown_op", "the op is not one of append, insert_after, replace, delete")


def _append(current: Text, content: str, *, fallback: bool = False) -> Outcome:
    """At the end of the editable text: before the regions at the tail, if there are any."""
    text, start, regions = current
    added = block(strip_markers(content))
    if not added:
        return Outcome(None, "skipped_no_change", "there is nothing to append")
    if has_lines(text, added, start=start):
        return Outcome(None, "skipped_duplicate", "the skill already says exactly this")
    cut = tail_start(text, regions) if regions else len(text)
    new = _end_of_head(text[:cut], start, added) + added + "\n"
    if cut == len(text):
        return Outcome(new, *_appended(fallback))
    tail = text[cut:].rstrip() + "\n" if regions[-1].closed else text[cut:]
    return Outcome(new + "\n" + tail, *_appended_before_region(fallback))


def _end_of_head(head: str, start: int, added: str) -> str:
    """The text before an appended block, ended so that the block begins a line of its own."""
    front, body = head[:start], head[start:].rstrip(" \t\r\n")
    if body:
        return front + body + ("\n\n" if needs_blank_line(body, added) else "\n")
    if not front:
        return ""
    return front + ("\n" if front.endswith("\n") else "\n\n")


def _appended(fallback: bool) -> tuple[Status, str]:
    if fallback:
        return "applied_insert_after_fallback_append", "the target is not there; appended at the end instead"
    return "applied_append", "appended at the end"


def _appended_before_region(fallback: bool) -> tuple[Status, str]:
    if fallback:
        reason = "the target is not there; appended before the protected region instead"
        return "applied_insert_after_fallback_before_protected_region", reason
    return "applied_append_before_protected_region", "appended before the protected region at the tail"


class _Found(NamedTuple):
    """Where a target stands, and the editable span it stands in."""

    at: int
    end: int
    span_end: int


def _locate(current: Text, target: str, *, first: bool) -> _Found | Outcome | None:
    """The target's place in the editable text; why no place can be used; None if it is nowhere."""
    text, start, regions = current
    found: _Found | None = None
    for span_start, span_end in editable_spans(text, regions, start=start):
        at = text.find(target, span_start, span_end)
        while at != -1:
            if found is not None:
                reason = "the target occurs more than once; quote more of it"
                return Outcome(None, "skipped_ambiguous_target", reason)
            found = _Found(at, at + len(target), span_end)
            if first:
                return found
            at = text.find(target, at + 1, span_end)
    if found is None and target in text:
        reason = "the target touches a protected region or the frontmatter"
        return Outcome(None, "skipped_protected_region", reason)
    return found


def _insert_after(current: Text, edit: Edit, *, first: bool) -> Outcome:
    """Below the line in which the target ends; at the end of the skill when the target is not there."""
    added = block(strip_markers(edit.content))
    if not added:
        return Outcome(None, "skipped_no_change", "there is nothing to insert")
    found = _locate(current, edit.target, first=first) if edit.target.strip() else None
    if found is None:
        return _append(current, added, fallback=True)
    if isinstance(found, Outcome):
        return found
    text = current.text
    newline = text.find("\n", found.end - 1, found.span_end)
    at = found.span_end if newline == -1 else newline + 1
    if text.startswith(added, at) and is_blank_to_line_end(text, at + len(added)):
        return Outcome(None, "skipped_duplicate", "the lines already follow the target")
    before = text[:at] if newline != -1 else text[:at] + "\n"
    new = before + added + "\n" + text[at:]
    return Outcome(new, "applied_insert_after", "inserted below the target's line")


def _locate_required(current: Text, edit: Edit, *, first: bool) -> _Found | Outcome:
    """For the two ops that cannot do without their target."""
    replacing = edit.op == "replace"
    if not edit.target.strip():
        status: Status = "skipped_replace_missing_target" if replacing else "skipped_delete_missing_target"
        return Outcome(None, status, f"a {edit.op} must quote the text it is about")
    found = _locate(current, edit.target, first=first)
    if found is None:
        status = "skipped_replace_target_not_found" if replacing else "skipped_delete_target_not_found"
        return Outcome(None, status, "the target is not in the skill")
    return found


def _replace(current: Text, edit: Edit, *, first: bool) -> Outcome:
    found = _locate_required(current, edit, first=first)
    if isinstance(found, Outcome):
        return found
    text, content = current.text, strip_markers(edit.content)
    if edit.content and not content:
        return Outcome(None, "skipped_no_change", "the replacement is nothing but markers")
    at, end = (found.at, found.end) if content else whole_line(text, found.at, found.end)
    content = _fit_newline(content, edit.target, following=text[end : end + 1])
    return Outcome(text[:at] + content + text[end:], "applied_replace", "replaced the target")


def _fit_newline(content: str, target: str, *, following: str) -> str:
    """Keep lines apart as they were: models are careless about the newline at the end of what they quote."""
    if content and target.endswith("\n") and not content.endswith("\n"):
        return content + "\n"
    if following == "\n" and content.endswith("\n") and not target.endswith("\n"):
        return content.rstrip("\n")
    return content


def _delete(current: Text, edit: Edit, *, first: bool) -> Outcome:
    """The target's characters; a target that is all there is on its line takes the line with it."""
    found = _locate_required(current, edit, first=first)
    if isinstance(found, Outcome):
        return found
    at, end = whole_line(current.text, found.at, found.end)
    return Outcome(current.text[:at] + current.text[end:], "applied_delete", "deleted the target")
