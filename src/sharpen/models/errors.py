"""What can go wrong between a request and its answer, under the errors that all of sharpen shares.

    ModelError            2   wrong name, key, address or request: asking again cannot help
    └── ContextError      2   the request does not fit the model's context window; sizes are attached
    AnswerError           3   an answer that came whole from the wire and still cannot be used
    ModelDownError        3   every permitted attempt failed for a reason that might have passed

Every message here has been through redaction, and no such error carries the exception it was made from:
what an SDK raises may hold keys in its headers, its URL or its echo of our request.
"""

from __future__ import annotations

from sharpen.errors import ModelError, ProviderError

__all__ = ["AnswerError", "ContextError", "ModelDownError", "ModelError"]


class ContextError(ModelError):
    """A request larger than the model's context window. A size the server did not give is None."""

    def __init__(self, message: str, *, needed: int | None = None, allowed: int | None = None) -> None:
        super().__init__(message)
        self.needed = needed
        self.allowed = allowed


class AnswerError(ProviderError):
    """An answer that is cut short or is not what was asked for."""


class ModelDownError(ProviderError):
    """A server that stayed down, slow or garbled for every permitted attempt."""

    def __init__(self, message: str, *, requests: int) -> None:
        super().__init__(message)
        self.requests = requests
