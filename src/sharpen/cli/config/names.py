"""Every spelling of every key: by section, flat as in SkillOpt's older files, with either pair of role names.

A spelling leads to one dotted key such as `optimizer.learning_rate`; one that leads nowhere is an error that
names the known one near it. It knows names only, neither values nor files.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache

from pydantic import SecretStr

from sharpen.cli.config.record import SECTION_TYPES, SECTIONS
from sharpen.errors import SettingsError

_RENAMED = {
    "env.name": "env",
    "model.backend": "model_backend",
    "model.optimizer": "optimizer_model",
    "model.target": "target_model",
    "optimizer.learning_rate": "edit_budget",
    "optimizer.meta_learning_rate": "meta_edit_budget",
    "optimizer.min_learning_rate": "min_edit_budget",
}
_OURS = frozenset({"budget", "human_feedback"})
_OUR_KEYS = frozenset(
    {
        "env.options",
        "evaluation.alpha",
        "evaluation.gate",
        "evaluation.gate_width",
        "gradient.merging",
        "optimizer.first_match",
        "train.concurrency",
        "train.lanes",
        "train.loop",
        "train.retries",
        "train.timeout",
    }
)
_OTHER_NAMES = {
    "backend": "model.backend",
    "codex_bin": "model.codex_exec_path",
    "codex_cli_bin": "model.codex_exec_path",
    "codex_path": "model.codex_exec_path",
    "codex_sandbox": "model.codex_exec_sandbox",
    "sandbox": "model.codex_exec_sandbox",
}
_ROLES = {"teacher": "optimizer", "student": "target"}
CLOSE = 0.85
"""Likeness above which an unknown key is taken for a typing mistake, also under a suite of one's own."""


def dotted_keys() -> list[str]:
    """Every key, in the order of the sections."""
    return [f"{section}.{key}" for section in SECTIONS for key in SECTION_TYPES[section].model_fields]


@cache
def flat_names() -> dict[str, str]:
    """SkillOpt's flat name of each key that has one, with the dotted key it stands for."""
    found = {}
    for dotted in dotted_keys():
        section, _, key = dotted.partition(".")
        if section not in _OURS and dotted not in _OUR_KEYS:
            found[_RENAMED.get(dotted, key)] = dotted
    return found


def find_key(spelled: tuple[str, ...]) -> str | None:
    """The dotted key a spelling stands for; None when there is none."""
    if len(spelled) == 1:
        name = spelled[0]
        if name == "preset":
            return name
        return _OTHER_NAMES.get(name) or flat_names().get(name) or flat_names().get(_with_roles(name))
    section, key = spelled[0], ".".join(spelled[1:])
    if section not in SECTION_TYPES:
        return None
    fields = SECTION_TYPES[section].model_fields
    if key not in fields and section == "model":
        key = _OTHER_NAMES.get(key, f"model.{_with_roles(key)}").partition(".")[2]
    return f"{section}.{key}" if key in fields else None


def _with_roles(name: str) -> str:
    """`teacher_backend` is `optimizer_backend`, `student` is `target`."""
    return "_".join(_ROLES.get(word, word) for word in name.split("_"))


def is_secret(dotted: str) -> bool:
    """Whether a key's value must not be shown."""
    section, _, key = dotted.partition(".")
    info = SECTION_TYPES[section].model_fields.get(key) if section in SECTION_TYPES else None
    return info is not None and info.annotation is SecretStr


def unknown_key(spelled: tuple[str, ...], place: str) -> SettingsError:
    """The error for a key that nobody knows."""
    name = ".".join(spelled)
    near = nearest(spelled)
    if near is not None:
        return SettingsError(f"{place}: unknown key {name}; did you mean {near}?")
    if spelled[0] not in SECTIONS:
        return SettingsError(f"{place}: unknown key {name}; the sections are {', '.join(SECTIONS)}")
    remedy = "`sharpen config show` lists the known ones"
    if spelled[0] == "env":
        remedy = "keys of a suite of your own are read when env.name is that suite"
    return SettingsError(f"{place}: unknown key {name}; {remedy}")


def nearest(spelled: tuple[str, ...], *, likeness: float = 0.6) -> str | None:
    """The known spelling that was probably meant: in the same section first, then anywhere."""
    section, key = (spelled[0], ".".join(spelled[1:])) if len(spelled) > 1 else ("", spelled[0])
    elsewhere = next((dotted for dotted in dotted_keys() if dotted.partition(".")[2] == key), None)
    if elsewhere is not None:
        return elsewhere
    if section in SECTION_TYPES:
        near = _near(key, _spellings(section), likeness)
        if near is not None:
            return f"{section}.{near}"
    elif section:
        known = _near(section, list(SECTIONS), likeness)
        found = None if known is None else find_key((known, key)) or nearest((known, key))
        if found is not None:
            return found
    leaves = {dotted.partition(".")[2]: dotted for dotted in reversed(dotted_keys())}
    words = {**leaves, **flat_names()} if not section else leaves
    near = _near(_with_roles(key), [*words, *([] if section else SECTIONS)], likeness)
    return None if near is None else words.get(near, near)


def _spellings(section: str) -> list[str]:
    """The keys of a section; those of `model` also with the other names of the roles."""
    keys = list(SECTION_TYPES[section].model_fields)
    if section == "model":
        names = {role: name for name, role in _ROLES.items()}
        keys += ["_".join(names.get(word, word) for word in key.split("_")) for key in keys]
    return keys


def _near(word: str, known: list[str], likeness: float) -> str | None:
    return next(iter(get_close_matches(word, known, n=1, cutoff=likeness)), None)
