"""The simulated problems by name: what each world asks of a training loop, as plain numbers.

A `Spec` is pure data. What it means is in `world.py`; who plays it is in `actors.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Pair = tuple[str, str]


@dataclass(frozen=True)
class Spec:
    """One family of worlds; the defaults are the clean binary RuleWorld."""

    mode: Literal["binary", "dense", "soft"] = "binary"
    """binary: all or nothing; dense: share of needed rules; soft: 0.15 off per fault, noise of ±0.1."""
    slip: float = 0.0
    """Probability that an attempt's score flips."""
    accuracy: float = 0.7
    """Probability that a proposed edit is right when the feedback names a fault."""
    rules: int = 12
    """Rules that exist; each task needs one to three of them."""
    traps: int = 12
    """Harmful lines that exist; each task is broken by one of them."""
    train: int = 40
    """Tasks in the train split."""
    selection: int = 20
    """Tasks in the selection split."""
    test: int = 200
    """Tasks in the test split."""
    together: tuple[Pair, ...] = ()
    """Rules that only help when both are present."""
    conflict: tuple[Pair, ...] = ()
    """Pairs (c, d): with both present, tasks that need c but not d fail."""
    mislead: float = 0.0
    """Probability that the feedback of a failure names a wrong rule."""
    limit: int = 0
    """Lines the student can hold; 0 means no limit."""
    penalty: float = 0.0
    """Success lost per line beyond the limit."""
    neutral: float = 0.0
    """Share of wrong edits that are neutral text instead of traps."""
    flaky: float = 0.0
    """Share of tasks that flip with probability 0.4; the others flip with 0.02."""
    bundle: int = 1
    """Edits per teacher call."""
    useless: bool = False
    """A/A null: every edit is neutral text."""
    known: int = 0
    """Rules already in the starting skill."""
    errors: float = 0.0
    """Probability that an attempt measures nothing."""
    diffuse: float = 0.0
    """Share of tasks whose success is a probability that every rule moves a little."""
    blind: bool = False
    """The teacher cannot tell which line hurts a diffuse task."""
    crisp: int = 0
    """Rules and traps reserved for the crisp tasks of a mixed world."""


_TOGETHER: tuple[Pair, ...] = (("R00", "R01"), ("R02", "R03"), ("R04", "R05"))
_CONFLICT: tuple[Pair, ...] = (("R08", "R09"), ("R10", "R11"))

WORLDS: dict[str, Spec] = {
    "dense": Spec(mode="dense"),
    "binary": Spec(),
    "slip.1": Spec(slip=0.1),
    "slip.2": Spec(slip=0.2),
    "together": Spec(together=_TOGETHER, slip=0.1),
    "conflict": Spec(conflict=_CONFLICT, slip=0.1),
    "mislead": Spec(mislead=0.4, slip=0.1),
    "length": Spec(limit=12, penalty=0.06, neutral=0.5, slip=0.05),
    "flaky": Spec(flaky=0.3),
    "bundle": Spec(bundle=4, accuracy=0.5, neutral=0.3, slip=0.1),
    "errors": Spec(errors=0.15, slip=0.1),
    "small": Spec(train=12, selection=6, slip=0.1),
    "large": Spec(rules=20, traps=20, train=400, selection=200, test=1400, slip=0.1),
    "soft": Spec(mode="soft"),
    "hard": Spec(
        together=_TOGETHER[:2], conflict=_CONFLICT[:1], mislead=0.2, flaky=0.2, bundle=2, neutral=0.3,
        limit=14, penalty=0.04, errors=0.05,
    ),
    "diffuse": Spec(diffuse=1.0, blind=True, accuracy=0.6, neutral=0.3, selection=40),
    "mixed": Spec(
        diffuse=0.5, blind=True, crisp=6, rules=18, traps=18, slip=0.1, accuracy=0.6, neutral=0.3,
        selection=40,
    ),
    "diffuse.drop": Spec(diffuse=1.0, accuracy=0.6, neutral=0.3, selection=40),
    "mixed.drop": Spec(
        diffuse=0.5, crisp=6, rules=18, traps=18, slip=0.1, accuracy=0.6, neutral=0.3, selection=40
    ),
    "null.diffuse": Spec(diffuse=1.0, useless=True, known=6, selection=40),
    "null.1": Spec(useless=True, known=6, slip=0.1),
    "null.2": Spec(useless=True, known=6, slip=0.2),
    "null.flaky": Spec(useless=True, known=6, flaky=0.3),
    "null.soft": Spec(useless=True, known=6, mode="soft"),
    "null.small": Spec(useless=True, known=6, slip=0.2, train=12, selection=6),
    "null.large": Spec(useless=True, known=6, slip=0.1, train=400, selection=200, test=400),
}  # fmt: skip

_BUDGETS = {"small": 1000, "null.small": 1000, "large": 4000, "null.large": 4000, "hard": 3000}


def budget_of(name: str) -> int:
    """Rollouts usually given to a world, so that results can be compared."""
    spec = WORLDS[name]
    return 3000 if spec.diffuse else _BUDGETS.get(name, 2000)
