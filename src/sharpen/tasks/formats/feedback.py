"""The words in which a verifier says what was wrong: a form that people read and programs can take apart.

Each line is `label: text`. `wanted` says what an answer must look like, `fault` names one of a few kinds,
`saw` quotes the answer. A verifier of any other task may speak the same words; nothing here knows a family
of tasks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeGuard, get_args

Fault = Literal["nothing", "surrounded", "misshapen", "wrong", "not json", "wrong keys"]

MEANINGS: dict[Fault, str] = {
    "nothing": "the answer is empty",
    "surrounded": "the right answer is there, with other text around it",
    "misshapen": "the answer does not have the wanted form",
    "wrong": "the form is right, the content is not",
    "not json": "the answer is not one JSON object and nothing else",
    "wrong keys": "the JSON object has other keys than those wanted",
}
SHOWN = 80
"""Characters of an answer that are quoted."""


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a verifier says about an answer that was not right."""

    wanted: str
    fault: Fault
    saw: str = ""

    def __str__(self) -> str:
        saw = " ".join(self.saw.split())
        shown = saw if len(saw) <= SHOWN else saw[: SHOWN - 1] + "…"
        return f"wanted: {self.wanted}\nfault: {self.fault} ({MEANINGS[self.fault]})\nsaw: {shown}"

    @classmethod
    def parse(cls, text: str) -> Feedback | None:
        """Read it back out of a score's feedback; None when the text does not speak these words."""
        found: dict[str, str] = {}
        for line in text.splitlines():
            label, colon, said = line.partition(": ")
            if colon:
                found.setdefault(label.strip(), said.strip())
        fault = found.get("fault", "").partition(" (")[0]
        if not found.get("wanted") or not _is_fault(fault):
            return None
        return cls(found["wanted"], fault, found.get("saw", ""))


def _is_fault(text: str) -> TypeGuard[Fault]:
    return text in get_args(Fault)
