"""What a model is to the rest of sharpen, and the upper bound of what a request can cost.

The bound rests on one fact: a token stands for at least one byte of what was sent. On top come what templates
and providers add unseen, and pictures, whose tokens do not follow from their bytes. Knows no provider.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol, runtime_checkable

from sharpen.models.completion import Completion
from sharpen.models.messages import Request
from sharpen.models.prices import Price, Tokens
from sharpen.types import Usage, canonical_json

# Chat templates add a default system prompt (up to some 500 tokens seen) and a few tokens per turn; a
# provider's own instructions for tools or schemas take up to some 700.
UNSEEN = 1024
UNSEEN_PER_MESSAGE = 16
UNSEEN_FOR_TOOLS = 1024
# The dearest picture of the providers' own formulas: some 5,000 tokens, but 48,169 for gpt-4o-mini.
PER_IMAGE = 6_000
PER_IMAGE_DEAR = 50_000


@runtime_checkable
class Model(Protocol):
    """Who answers. `fingerprint` names everything that changes answers and holds no secret."""

    @property
    def name(self) -> str: ...
    @property
    def fingerprint(self) -> str: ...
    async def complete(self, request: Request, *, trial: int = 1) -> Completion: ...
    def worst_case(self, request: Request) -> Usage: ...
    async def aclose(self) -> None: ...


def without_images(request: Request) -> Request:
    return replace(request, messages=tuple(replace(message, images=()) for message in request.messages))


def upper_bound(request: Request, body: object, *, max_tokens: int, price: Price | None, model: str) -> Usage:
    """The most that `request` can use; `body` is what would be sent for it, without its pictures."""
    pictures = sum(len(message.images) for message in request.messages)
    tokens = len(canonical_json(body).encode("utf-8", "surrogatepass"))
    tokens += UNSEEN + UNSEEN_PER_MESSAGE * (len(request.messages) + 1)
    tokens += UNSEEN_FOR_TOOLS if request.tools or request.schema else 0
    tokens += pictures * (PER_IMAGE_DEAR if "4o-mini" in model else PER_IMAGE)
    usd = None if price is None else price.at_most(Tokens(tokens, max_tokens))
    return Usage(tokens, max_tokens, 1, usd, model)
