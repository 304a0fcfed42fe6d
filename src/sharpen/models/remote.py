"""A model behind an endpoint: a call is a place in the limiter, a few attempts, an answer or one clear error.

Puts protocol, transport, limiter and retry policy together; each of them is elsewhere. No exception of an SDK
leaves here, not even as the context of another.
"""

from __future__ import annotations

import asyncio
import difflib
from dataclasses import dataclass, field, replace

from sharpen.models.completion import Completion
from sharpen.models.endpoint import Endpoint
from sharpen.models.errors import ModelError
from sharpen.models.faults import TransportError
from sharpen.models.limiter import Limiter
from sharpen.models.messages import Request
from sharpen.models.model import upper_bound, without_images
from sharpen.models.prices import Price, Tokens, usage_of
from sharpen.models.protocols import GarbledError, Spelling, Wire
from sharpen.models.remedies import final_error
from sharpen.models.retry import GivenUp, RetryPolicy, persist
from sharpen.models.transport import Transport
from sharpen.redaction import Redactor
from sharpen.types import Usage


@dataclass
class RemoteModel:
    """`seeded` gives every request a seed; `text_only` refuses pictures before they are sent."""

    endpoint: Endpoint
    fingerprint: str
    wire: Wire
    spelling: Spelling
    transport: Transport
    limiter: Limiter
    policy: RetryPolicy
    price: Price | None
    seeded: bool = False
    text_only: bool = False
    redactor: Redactor = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.redactor = Redactor(self.endpoint.secrets)

    @property
    def name(self) -> str:
        return self.endpoint.name

    async def complete(self, request: Request, *, trial: int = 1) -> Completion:
        """The answer, or a `ModelError` (asking again is useless) or `ProviderError` (it may pass)."""
        self.refuse_images(request)
        outcome = await persist(lambda: self._send(request, trial), self.policy, key=(request, trial))
        if isinstance(outcome, Completion):
            return outcome
        if outcome.fault.is_filtered:
            return Completion(
                "", (), usage_of(Tokens(), self.price, self.name), "filter", self.endpoint.model
            )
        near = await self._near(outcome)
        raise final_error(outcome, self.endpoint, request, near=near, redactor=self.redactor)

    def refuse_images(self, request: Request) -> None:
        """Where it is known beforehand that the model cannot see."""
        if self.text_only and request.has_images:
            raise ModelError(f"{self.name} takes no images; use a model that does, or leave them out")

    def worst_case(self, request: Request) -> Usage:
        body = self.wire.payload(without_images(request), self._seed(request, 1))
        length = self.spelling.length(request)
        return upper_bound(request, body, max_tokens=length, price=self.price, model=self.name)

    async def aclose(self) -> None:
        await self.transport.aclose()

    async def _send(self, request: Request, trial: int) -> Completion:
        taken = await self.limiter.take()
        try:
            payload = self.wire.payload(request, self._seed(request, trial))
            body = await self.transport.send(self.wire.path, payload)
            completion = self.wire.completion(body, self.price)
        except GarbledError as error:
            raise TransportError("garbled", f"the answer has the wrong shape: {error}") from None
        except TransportError as fault:
            if fault.status == 429:
                wish = fault.retry_after or 0.0
                self.limiter.slow_down(taken, pause=wish if wish <= self.policy.max_wait else 0.0)
            raise
        finally:
            self.limiter.give_back()
        self.limiter.speed_up()
        usage = replace(completion.usage, model=self.name)
        finish = completion.finish
        if finish == "stop" and not self.wire.tells_length:
            finish = "length" if usage.output_tokens >= self.spelling.length(request) else "stop"
        return replace(completion, usage=usage, finish=finish)

    def _seed(self, request: Request, trial: int) -> int | None:
        """The first trial has the request's seed, the next the next; a server of our own is always seeded."""
        if request.seed is not None:
            return request.seed + trial - 1
        return int(request.digest[:7], 16) + trial if self.seeded else None

    async def _near(self, given_up: GivenUp) -> str:
        """A similar name that the server does have, where it says that ours is unknown."""
        if given_up.fault.status != 404:
            return ""
        try:
            async with asyncio.timeout(5):
                names = await self.transport.model_names()
        except (TransportError, TimeoutError):
            return ""
        near = difflib.get_close_matches(self.endpoint.model, names, n=1, cutoff=0.3)
        return near[0] if near and near[0] != self.endpoint.model else ""
