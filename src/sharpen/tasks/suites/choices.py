"""The choices of a question, in whichever of the usual spellings a benchmark has them."""

from __future__ import annotations

from collections.abc import Mapping

from sharpen.tasks.suites.rows import as_list

LABELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def choices_in(found: object) -> dict[str, str]:
    """Labels and texts, from a mapping, a list of {label, text} or a list of texts."""
    if isinstance(found, Mapping):
        return {str(label).strip().upper(): str(found[label]).strip() for label in sorted(found)}
    choices: dict[str, str] = {}
    for at, one in enumerate(as_list(found)):
        if isinstance(one, Mapping):
            label = str(one.get("label") or LABELS[at]).strip().upper().rstrip(".):")
            choices[label] = str(one.get("text") or one.get("content") or "").strip()
        else:
            choices[LABELS[at]] = str(one).strip()
    return choices
