"""One question to a model, answered in JSON: constrained where the provider can, checked always.

An answer that cannot be read is asked for once more with the complaint shown; if that one is not usable
either, it is an `UnusableAnswerError`. A cut answer is never read, however well its beginning parses. Knows
requests and records; what a question is about, it does not know.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from sharpen.agents.record import total_of
from sharpen.errors import ProviderError
from sharpen.models import AnswerError, Completion, ContextError, Message, Model, Request
from sharpen.train.teacher.answers import LONGEST_COMPLAINT
from sharpen.types import Usage

Value = TypeVar("Value")
Read = Callable[[object], Value]

_THOUGHT = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_REPAIR = (
    "Your answer cannot be used: {complaint}\n\n"
    "Answer again, with the whole corrected JSON object and nothing before or after it."
)
_CUT = "it was cut off at the limit of {limit} tokens. Say the same in far fewer words"


class UnusableAnswerError(AnswerError):
    """Neither the answer nor its repair could be used; `usage` is what both cost."""

    answered = True

    def __init__(self, message: str, usage: Usage) -> None:
        super().__init__(message)
        self.usage = usage


@dataclass(frozen=True)
class Answered(Generic[Value]):
    """What was read out of an answer, the answer itself, and what all turns cost."""

    value: Value
    message: Message
    usage: Usage


async def ask(model: Model, request: Request, read: Read[Value], *, trial: int) -> Answered[Value]:
    """What `read` makes of the answer's JSON object; it raises ValueError on one it cannot use."""
    spent: list[Usage] = []
    complaint = ""
    asked = request
    for _ in range(2):
        try:
            completion = await _complete(model, asked, trial)
        except ProviderError as error:
            error.usage = total_of(spent, model=model.name) if spent else error.usage
            raise
        spent.append(completion.usage)
        if completion.finish == "filter":
            complaint = "the provider's filter withheld the answer"
            break
        try:
            value = read(_object(completion))
        except ValueError as error:
            complaint = str(error)[:LONGEST_COMPLAINT]
            said = completion.message if completion.text.strip() else Message("assistant", "(nothing)")
            asked = followed(request, said, _REPAIR.format(complaint=complaint))
        else:
            return Answered(value, completion.message, total_of(spent, model=model.name))
    raise UnusableAnswerError(
        f"{model.name} gave no usable answer: {complaint}", total_of(spent, model=model.name)
    )


def followed(request: Request, answer: Message, reply: str) -> Request:
    """The request with an answer to it and what is said to that."""
    return replace(request, messages=(*request.messages, answer, Message("user", reply)))


def worst_cases(model: Model, request: Request, *, replies: Sequence[str]) -> Usage:
    """The most that asking costs when every answer is as long as it can be and needs its repair turn.

    After each question, `replies` says with what the conversation goes on; each is a question again.
    """
    longest = Message("assistant", "x" * model.worst_case(request).output_tokens)  # a byte counts as a token
    complaint = _REPAIR.format(complaint="x" * 4 * LONGEST_COMPLAINT)  # a character has up to 4 bytes
    found = []
    for reply in (None, *replies):
        request = request if reply is None else followed(request, longest, reply)
        found += [model.worst_case(request), model.worst_case(followed(request, longest, complaint))]
    return total_of(found, model=model.name)


async def _complete(model: Model, request: Request, trial: int) -> Completion:
    try:
        return await model.complete(request, trial=trial)
    except ContextError as error:
        raise ContextError(
            f"{error}; a teacher shows less with a smaller evidence_tokens",
            needed=error.needed,
            allowed=error.allowed,
        ) from None


def _object(completion: Completion) -> dict[str, object]:
    """The first whole JSON object in the answer, whatever stands around it."""
    if completion.truncated:
        raise ValueError(_CUT.format(limit=completion.usage.output_tokens))
    text = _THOUGHT.sub("", completion.text)
    complaint = "there is no JSON object in it"
    for piece in _balanced(text):
        try:
            value = json.loads(piece, strict=False)  # a line break inside a string does no harm
        except ValueError as error:
            complaint = f"its JSON is broken: {error}"
            continue
        if isinstance(value, dict):
            return value
    raise ValueError(complaint)


def _balanced(text: str) -> Iterator[str]:
    """Pieces from an opening brace to the one that closes it, none in another; braces in strings are text."""
    start = text.find("{")
    while start != -1:
        end = _closing(text, start)
        yield text[start:end]
        start = text.find("{", end)


def _closing(text: str, start: int) -> int:
    depth, quoted, escaped = 0, False, False
    for at in range(start, len(text)):
        char = text[at]
        if quoted:
            quoted = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"':
            quoted = True
        elif char in "{}":
            depth += 1 if char == "{" else -1
            if depth == 0:
                return at + 1
    return len(text)
