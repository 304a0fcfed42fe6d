"""Rules for what travels in requests and addresses: headers, cookies, passwords before a host, keys in
queries, connection strings.
"""

from __future__ import annotations

import re

from sharpen.traces.privacy.extent import MARK, VALUE, is_compared, taken, value_end
from sharpen.traces.privacy.rule import FAR, Rule, Span
from sharpen.traces.privacy.values import is_code, is_placeholder, is_random, is_secret


def _header(data: bytes, lead: int, start: int, end: int) -> Span | None:
    end = value_end(data, lead, start, end)
    value = data[start:end].decode("latin-1")
    if len(value) < 8 or is_placeholder(value) or is_code(value) or is_compared(data, start):
        return None
    if not is_secret(value):
        return None
    return taken(data, start, end)


def _address(data: bytes, lead: int, start: int, end: int) -> Span | None:
    """What stands before the host: a password after a colon, or a token alone."""
    value = data[start:end].decode("latin-1")
    user, colon, password = value.partition(":")
    if MARK in data[start:end] or is_placeholder(password if colon else user):
        return None
    return (start, end) if colon or is_random(user) else None


_QUERY_KEY = re.compile(rb"[?&](?:sort|cache|primary|partition)[_-]?key=\Z", re.IGNORECASE)


def _query(data: bytes, lead: int, start: int, end: int) -> Span | None:
    value = data[start:end].decode("latin-1")
    harmless = _QUERY_KEY.search(data[lead:start]) or is_placeholder(value) or value[-1] in ")}"
    return None if harmless or re.fullmatch(r"[0-9.]{1,15}|\w{4,7}|[a-z_]+", value) else (start, end)


def _cookie(data: bytes, lead: int, start: int, end: int) -> Span | None:
    """All pairs go when one of them is long enough to open a session."""
    pairs = re.split(rb"[;,]\s*", data[start:end])
    long = [value for pair in pairs if len(value := pair.partition(b"=")[2]) >= 16]
    if not any(not is_placeholder(value.decode("latin-1")) for value in long) or MARK in data[start:end]:
        return None
    return start, end


_BEFORE_HOST = re.compile(rb"[^\s:@/\"'`]{1,64}:([^\s\"'`]{1,200})\Z")


def _data_source(data: bytes, lead: int, start: int, end: int) -> Span | None:
    """`user:password@tcp(host)` of Go's drivers; the pattern finds its middle, the rest is read backwards."""
    found = _BEFORE_HOST.search(data, max(start - FAR, 0), start)
    if found is None or MARK in found[1] or is_placeholder(found[1].decode("latin-1")):
        return None
    return found.span(1)


ADDRESSES: tuple[Rule, ...] = (
    Rule(
        "header",
        VALUE,
        r"authorization[\"']?\]?[ \t]*[:=][ \t]*(?:[bfru]?[\"'`])?"
        r"(?:(?:bearer|basic|token|apikey|digest|key)[ \t]+)?",
        any_case=True,
        check=_header,
    ),
    Rule(
        "header",
        r"[\w.~+/=-]{12,}",
        r"\b(?:bearer|basic|auth plain)[ \t]+",
        any_case=True,
        check=_header,
    ),
    Rule(
        "cookie",
        r"[^\s=;,\"'\[]+=[^\r\n\"'\[\]]{8,}",
        r"\b(?:set-)?cookie[\"']?[ \t]*[:=][ \t]*[\"']?|[ \t](?:-b|--cookie)[ =][\"']?",
        any_case=True,
        check=_cookie,
    ),
    Rule(
        "url-password", r"[^\s/@:\[\]\"'<>]*:[^\s/\[\]\"'<>]+|[A-Za-z0-9_-]{20,}", "://", "@", check=_address
    ),
    Rule(
        "query",
        r"[^\s&#\"'<>\[\]]{4,}",
        r"[?&][a-z0-9_-]{0,40}(?:key|token|secret|password|passwd|pwd|signature|sig|auth|appid)=",
        any_case=True,
        check=_query,
    ),
    Rule("connection-string", r"[^\s/:@\"'\[]+/[^\s/:@\"'\[]+", r"jdbc:oracle:[a-z]+:|\bsqlplus[ \t]+", "@"),
    Rule("connection-string", r"@(?:tcp|tcp4|tcp6|udp|unix)\(", r"[^\s\"'`]", check=_data_source),
)
