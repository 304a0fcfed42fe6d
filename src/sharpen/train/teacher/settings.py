"""Everything a teacher on a model can be told, one line per field; checked when it is made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from sharpen.errors import SettingsError

Style = Literal["json", "rules"]


@dataclass(frozen=True)
class TeacherSettings:
    """How a model teaches. The defaults suit a capable model; `style="rules"` suits one of 1–3B."""

    style: Style = "json"  # json: edits and advice as JSON; rules: one plain sentence per failed attempt
    rounds: int = 1  # how often an analyst looks at its own edits again, the first writing included
    evidence_tokens: int = 24_000  # of all attempts shown in one question, divided among them
    max_tokens: int = 16_384  # of an answer; a longer one is cut, and a cut one is asked for again, shorter
    temperature: float | None = None  # None leaves it to the model's own default
    show_reference: bool = True  # show the tasks' right answers, marked as not to be quoted
    skill_aware: bool = False  # tell rules that are missing from rules that were not followed
    prompts: str | Path | None = (
        None  # a folder whose files are used instead of the shipped ones of that name
    )
    constrained: bool = True  # send the answer's JSON schema; false for servers that refuse one
    seeded: bool = True  # send the trial's number as seed, for providers that honour one

    def __post_init__(self) -> None:
        if self.style not in get_args(Style):
            raise SettingsError(f"style must be json or rules, not {self.style!r}")
        for name in ("rounds", "evidence_tokens", "max_tokens"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise SettingsError(f"{name} must be a whole number of at least 1, not {value!r}")
        for name in ("show_reference", "skill_aware", "constrained", "seeded"):
            if not isinstance(getattr(self, name), bool):
                raise SettingsError(f"{name} must be true or false, not {getattr(self, name)!r}")
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise SettingsError(f"temperature must lie in 0..2, not {self.temperature!r}")
