"""Models that are not models: deterministic answers for tests, demos and dry runs, and named so.

`simulated:echo` repeats the last message; a `Simulated` made in code answers from a table or a function.
Tokens are counted as words, so that usage adds up without a tokenizer. Nothing is sent anywhere.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sharpen.models.completion import Completion, Finish
from sharpen.models.errors import ModelError
from sharpen.models.messages import Request
from sharpen.models.model import upper_bound
from sharpen.models.prices import FREE, Price, Tokens, usage_of
from sharpen.models.settings import ModelSettings
from sharpen.types import Usage

Answer = Callable[[Request, int], str]


@dataclass(frozen=True)
class Simulated:
    """Answers by calling `answer(request, trial)`. Free, unless a price is set to try out budgets."""

    kind: str
    answer: Answer
    price: Price = FREE

    @classmethod
    def table(cls, answers: Mapping[str, str], price: Price = FREE) -> Simulated:
        """Answers by the last message's text; a text that is not in the table is an error."""

        def look_up(request: Request, trial: int) -> str:
            asked = request.messages[-1].text
            if asked not in answers:
                raise ModelError(f"the simulated model's table has no answer to {asked[:80]!r}")
            return answers[asked]

        return cls("table", look_up, price)

    @property
    def name(self) -> str:
        return f"simulated:{self.kind}"

    @property
    def fingerprint(self) -> str:
        return self.name

    async def complete(self, request: Request, *, trial: int = 1) -> Completion:
        words = self.answer(request, trial).split(" ")
        kept = words[: request.max_tokens]
        asked = sum(len(message.text.split()) for message in request.messages) + len(request.system.split())
        usage = usage_of(Tokens(asked, len(kept)), self.price, self.name)
        finish: Finish = "stop" if len(kept) == len(words) else "length"
        return Completion(" ".join(kept), (), usage, finish, self.name)

    def worst_case(self, request: Request) -> Usage:
        return upper_bound(
            request, request.to_json(), max_tokens=request.max_tokens, price=self.price, model=self.name
        )

    async def aclose(self) -> None:
        """Nothing is open."""


def _echo(request: Request, trial: int) -> str:
    return request.messages[-1].text


def _system(request: Request, trial: int) -> str:
    return request.system


_KINDS: Mapping[str, Answer] = {"echo": _echo, "system": _system}


def open_simulated(kind: str, settings: ModelSettings) -> Simulated:
    """`simulated:echo` says what it was told, `simulated:system` what stood in its system prompt."""
    if kind not in _KINDS:
        near = difflib.get_close_matches(kind, _KINDS, n=1)
        hint = f"did you mean simulated:{near[0]}? " if near else ""
        raise ModelError(f"there is no simulated model {kind!r}; {hint}there are {', '.join(_KINDS)}")
    return Simulated(kind, _KINDS[kind], settings.price or FREE)
