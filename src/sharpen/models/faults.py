"""One way of saying how a request failed, for every SDK and every protocol.

A `TransportError` is raised by transports and read by the retry policy; it never leaves this package. What it
says is not yet redacted. Whether asking again can help is decided here, from status and words alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Literal

Kind = Literal["connection", "timeout", "status", "garbled", "client"]

_PASSING_STATUSES = frozenset({408, 409, 429})
_NO_CREDIT = re.compile(
    r"insufficient_quota|exceeded your current quota|credit balance is too low", re.IGNORECASE
)
_NO_IMAGES = re.compile(
    r"(image|vision|multi-?modal|mmproj)[^.]{0,80}(not support|unsupported|not available|not allowed)"
    r"|(not support|unsupported|does not accept|cannot process)[^.]{0,80}(image|vision|multi-?modal)"
    r"|not a multimodal model|only supports? text",
    re.IGNORECASE,
)
_OVERFLOW = re.compile(
    r"context[_ ]length[_ ]exceeded|maximum context length|exceed_context_size|prompt is too long"
    r"|exceeds? the (available|model'?s)[^.]{0,20} context|input token count[^.]{0,40}exceeds"
    r"|context window|input is too long|too many tokens in the prompt",
    re.IGNORECASE,
)
_FILTERED = re.compile(r"content_filter|content management policy|responsible_?ai_?policy", re.IGNORECASE)


class TransportError(Exception):
    """A request that brought no usable answer."""

    def __init__(
        self, kind: Kind, detail: str, *, status: int | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.status = status
        self.retry_after = retry_after

    @property
    def passing(self) -> bool:
        """Might the same request succeed later?"""
        if self.kind in ("connection", "timeout", "garbled"):
            return True
        if self.kind == "client" or self.status is None:
            return False
        if self.is_overflow or self.is_about_images or self.is_no_credit:
            return False
        return self.status in _PASSING_STATUSES or self.status >= 500

    @property
    def is_overflow(self) -> bool:
        return self.kind == "status" and self.status != 429 and _OVERFLOW.search(self.detail) is not None

    @property
    def is_about_images(self) -> bool:
        return self.kind == "status" and _NO_IMAGES.search(self.detail) is not None

    @property
    def is_no_credit(self) -> bool:
        return self.status in (400, 402, 403, 429) and _NO_CREDIT.search(self.detail) is not None

    @property
    def is_filtered(self) -> bool:
        """A server that answers 400 because its filter disliked the prompt has answered."""
        return self.status == 400 and _FILTERED.search(self.detail) is not None


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds a server asks to wait: `retry-after-ms`, or `Retry-After` in seconds or as a date."""
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = headers.get(name)
        if text is None:
            continue
        try:
            return max(0.0, float(text) * scale)
        except ValueError:
            pass
        try:
            return max(0.0, parsedate_to_datetime(text).timestamp() - now)
        except (ValueError, TypeError):
            continue
    return None


_SIZES = (
    re.compile(
        r"maximum context length is (?P<allowed>\d+).*?(requested|resulted in|has) (?P<needed>\d+)", re.S
    ),
    re.compile(r"(?P<needed>\d+) tokens?\)? (>|exceeds? the (available|model'?s)[^(]*\()\s*(?P<allowed>\d+)"),
    re.compile(r"token count \(?(?P<needed>\d+)\)?.*?(allowed|limit)[^\d]{0,12}(?P<allowed>\d+)", re.S),
    re.compile(r"n_prompt_tokens\D{1,4}(?P<needed>\d+).*?n_ctx\D{1,4}(?P<allowed>\d+)", re.S),
)


def overflow_sizes(detail: str) -> tuple[int | None, int | None]:
    """Tokens needed and allowed, where the server's words give them."""
    for pattern in _SIZES:
        found = pattern.search(detail)
        if found is not None:
            return int(found["needed"]), int(found["allowed"])
    return None, None
