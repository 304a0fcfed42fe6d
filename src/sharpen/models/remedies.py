"""From a failed call to the sentence a user reads: what happened, to which model, what to do.

Everything said here goes through redaction last. Knows endpoints and faults, sends nothing.
"""

from __future__ import annotations

from sharpen.errors import SharpenError
from sharpen.models.endpoint import Endpoint
from sharpen.models.errors import ContextError, ModelDownError, ModelError
from sharpen.models.faults import TransportError, overflow_sizes
from sharpen.models.messages import Request
from sharpen.models.retry import GivenUp
from sharpen.redaction import Redactor

_LONGEST_WORDS = 400


def final_error(
    given_up: GivenUp, endpoint: Endpoint, request: Request, *, near: str, redactor: Redactor
) -> SharpenError:
    """The error of a call that failed for good. `near` is a similar model name that the server does have."""
    fault = given_up.fault
    who = f"{endpoint.name} at {endpoint.place}"
    said = redactor.redact(fault.detail)[:_LONGEST_WORDS]
    if fault.is_overflow:
        return _overflow(who, fault, request, said)
    if fault.passing:
        return ModelDownError(
            f"{who} gave no usable answer in {_times(given_up.requests)} with {given_up.waited:.1f} s between"
            f" them; the last time: {_what(fault, said)}{_page_hint(fault, endpoint)}."
            " What was paid for is kept; run the same again when the server is back",
            requests=given_up.requests,
        )
    return ModelError(f"{who} {_refusal(fault, endpoint, request, near)}. It said: {said}")


def _refusal(fault: TransportError, endpoint: Endpoint, request: Request, near: str) -> str:
    if request.has_images and fault.is_about_images:
        return "takes no images; use a model that does, or leave them out"
    if fault.is_no_credit:
        return "has no credit left for this key; top up the account or use another key"
    if fault.kind == "client" or fault.status is None:
        return "could not be asked; the SDK refused"
    if fault.status in (401, 403):
        names = " or ".join(endpoint.key_names) or "the platform's own login"
        return f"refused the key ({fault.status}); check {names} and that it is allowed this model"
    if fault.status == 404:
        return _not_found(endpoint, near)
    if 300 <= fault.status < 400:
        return f"redirects elsewhere ({fault.status}); use the final address as base_url"
    return f"refused the request ({fault.status}); change it as the server says"


def _not_found(endpoint: Endpoint, near: str) -> str:
    if near:
        return f"has no model {endpoint.model!r} (404); did you mean {endpoint.provider}:{near}?"
    if _lacks_version(endpoint):
        return (
            f"knows no such path (404); the base URL does not end in /v1, try base_url={endpoint.base_url}/v1"
        )
    return f"has no model {endpoint.model!r} or no such path (404); check the name and the base URL"


def _lacks_version(endpoint: Endpoint) -> bool:
    wants = endpoint.provider in ("openai", "qwen", "vllm", "minimax", "compatible")
    return wants and not endpoint.base_url.rstrip("/").endswith("/v1")


def _page_hint(fault: TransportError, endpoint: Endpoint) -> str:
    if fault.kind == "garbled" and _lacks_version(endpoint):
        return f" (the base URL does not end in /v1; try {endpoint.base_url}/v1)"
    return ""


def _what(fault: TransportError, said: str) -> str:
    if fault.kind == "status":
        wish = f", asking to wait {fault.retry_after:g} s" if fault.retry_after else ""
        return f"status {fault.status}{wish}: {said}"
    return {"connection": "the connection failed", "timeout": "timed out"}.get(
        fault.kind, fault.kind
    ) + f", {said}"


def _times(requests: int) -> str:
    return "1 request" if requests == 1 else f"{requests} requests"


def _overflow(who: str, fault: TransportError, request: Request, said: str) -> ContextError:
    needed, allowed = overflow_sizes(fault.detail)
    size = sum(len(message.text.encode()) for message in request.messages) + len(request.system.encode())
    sizes = f"{needed} tokens needed, {allowed} allowed" if needed and allowed else f"it said: {said}"
    return ContextError(
        f"{who}: the request does not fit the context window: {sizes} ({size} bytes of text,"
        f" max_tokens {request.max_tokens}); shorten the skill or the task,"
        " or use a model with a larger window",
        needed=needed,
        allowed=allowed,
    )
