"""The committed answers of the worlds' definition, and the few words needed to read them.

`tests/data/ruleworld.json` was written once from the definition, never from this package; its field `about`
says what each number is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from sharpen.simulate import World, line_of
from sharpen.skills import Edit

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent / "data" / "ruleworld.json").read_text(encoding="utf-8")
)
NAMES: tuple[str, ...] = tuple(GOLDEN["worlds"])
SEEDS = (0, 1)
FEEDBACKS: dict[str, list[str]] = GOLDEN["feedbacks"]


@cache
def world_of(name: str, seed: int) -> World:
    return World.named(name, seed=seed)


def golden_of(name: str, seed: int) -> dict[str, Any]:
    golden: dict[str, Any] = GOLDEN["worlds"][name][str(seed)]
    return golden


def text_of(tags: str) -> str:
    """A skill text with these lines."""
    return "# Skill\n" + "".join(f"{line_of(tag)}\n" for tag in tags.split())


def skills_of(world: World) -> dict[str, str]:
    """The skill texts that the vectors of a world speak of, by name."""
    return {name: text_of(tags) for name, tags in GOLDEN["skills"][str(world.spec.rules)].items()}


def signed(edits: Iterable[Edit]) -> str:
    """Edits in the vectors' spelling: `+R03 -T07`."""
    return " ".join(_signed(edit) for edit in edits)


def _signed(edit: Edit) -> str:
    line = {"append": edit.content, "delete": edit.target}[edit.op]
    named = re.fullmatch(r"- ([RTN]\d\d): .*", line)
    assert named is not None, f"not a line of a world: {line!r}"
    return ("+" if edit.op == "append" else "-") + named[1]


def digest(lines: Iterable[str]) -> str:
    return sha256("\n".join(lines).encode()).hexdigest()
