"""Rules for credentials: known by their shape, or by what stands before them.

`shapes.py` lists the shapes. What leads to the others has a module of its own each: `private_keys.py`,
`addresses.py`, `assignments.py`, `commands.py`, `answers.py`; `extent.py` says how far their values
go, `values.py` tells a secret from a placeholder, a word or a piece of code.
"""

from __future__ import annotations

from sharpen.traces.privacy.addresses import ADDRESSES
from sharpen.traces.privacy.answers import ANSWERS
from sharpen.traces.privacy.assignments import ASSIGNMENTS
from sharpen.traces.privacy.commands import COMMANDS
from sharpen.traces.privacy.private_keys import PRIVATE_KEYS
from sharpen.traces.privacy.rule import Rule, Span
from sharpen.traces.privacy.shapes import ALL_SHAPES, PASSWORD_HASH, TELEGRAM_TOKEN
from sharpen.traces.privacy.values import is_filler, is_random


def _shape(data: bytes, lead: int, start: int, end: int) -> Span | None:
    return None if is_filler(data[start:end].decode("latin-1")) else (start, end)


def _random_shape(data: bytes, lead: int, start: int, end: int) -> Span | None:
    """For shapes that a name in a program could have."""
    value = data[start:end].decode("latin-1")
    return (start, end) if is_random(value) else None


_COULD_BE_A_NAME = frozenset({"vault-token", "package-token"})

_SHAPES = tuple(
    Rule(kind, pattern, begins_word=True, check=_random_shape if kind in _COULD_BE_A_NAME else _shape)
    for kind, pattern in ALL_SHAPES
)

CREDENTIALS: tuple[Rule, ...] = (
    *PRIVATE_KEYS,
    *_SHAPES,
    Rule("password-hash", PASSWORD_HASH, check=_shape),
    Rule("telegram-token", TELEGRAM_TOKEN, "/bot"),
    *ADDRESSES,
    *ASSIGNMENTS,
    *COMMANDS,
    *ANSWERS,
)
"""Of several that fit at one place the first names the find."""
