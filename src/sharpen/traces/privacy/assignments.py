"""Rules for assignments: a name that says it is secret, and a value beside it, in the syntax of any language
or file format.
"""

from __future__ import annotations

import re

from sharpen.traces.privacy.answers import asked
from sharpen.traces.privacy.extent import (
    MARK,
    QUOTES,
    VALUE,
    given,
    is_compared,
    starts_line,
    taken,
    value_end,
)
from sharpen.traces.privacy.rule import NEAR, Rule, Span
from sharpen.traces.privacy.values import (
    is_base64_pair,
    is_code,
    is_password,
    is_placeholder,
    is_random,
    is_secret,
)

SHORTEST_VALUE = 6

_KEYS = (
    "access|account|admin|api|app|application|auth|client|consumer|crypt|decryption|deploy|encryption|hmac|jwt"
    "|license|licence|master|private|secret|service|session|shared|signing|ssh|storage|subscription|webhook"
)
NAMED = (
    rf"(?:(?:{_KEYS})[_.-]?key(?:[_.-]?(?:data|base))?|token|secret|passw(?:or)?d|passphrase|passcode"
    r"|credentials?|[_.-](?:pass|pwd|pw|psk)|\b(?:pwd|psk|wpa-psk)"
    r"|(?:db|user|admin|root|smtp|mail|sql|ftp|ssh|key|store|auth)_?pass|(?:bind|root)_?pw|require_?pass|masterauth)"
    r"(?:_?(?:[0-9]{1,2}|prod|production|staging|live|dev|value|string|plain|b64|base64))?"
)
SECRET_NAME = re.compile(
    rf"{NAMED}|key|auth|cookie|pass|pwd|pat\Z|\b(?:tel|phone|mobile|fax|cell)|\A-", re.IGNORECASE
)
"""Names that make a difference to what is below them."""
_TYPE = r"(?:[ \t]*:[ \t]*(?:str|string|&str|&'static str|secretstr|text|optional\[str\]))?"
_BECOMES = rf"""["']?\]?{_TYPE}[ \t]*(?:=>|:=|[=:])[ \t]*(?:[bfru]?["'`])?"""

_BAR = r"(?:\||\xe2\x94[\x82\x83]|\xe2\x95\x91)"

_OTHERWISE = (
    rf"[\"'\])]{{0,2}}[ \t]*(?:\|\||\?\?|or)[ \t]*[\"'`]|`?[ \t]*{_BAR}[ \t]*`?"
    r"|[\"'\])}]{0,4}[ \t]*\r?\n[\"']?"
)
"""A default, a table, a question with its answer below."""

_ON_NEXT_LINE = (
    r"[\"']?:[ \t]*[>|][+-]?[ \t]*\r?\n[ \t]+|[\"'](?::[\w\"]{1,40})?\]=>\s{1,20}string\([0-9]+\)[ \t]*\""
)
"""A block of YAML, a dump by PHP."""

_NAME_BEFORE = re.compile(rb"[\w.$-]*\Z")
_HARMLESS_NAME = re.compile(
    rb"(?:cache|public|primary|foreign|sort|partition|row|dedup|hash|object|s3|idempotency|lookup|range|group"
    rb"|routing|index|unique|natural|composite|registry|translation|i18n|react|item|query|storage_local|eos|bos|pad"
    rb"|unk|sep|cls|mask|stop|next|page|continuation)[_.-]?(?:key|token)s?(?:token)?[\"']?\W*\Z",
    re.IGNORECASE,
)
_RESOURCE_NAME = re.compile(rb"\barn:[\w:*/-]*\Z")
_BARE_PASS = re.compile(rb"pass\W", re.IGNORECASE)
_THOUGHT_UP = re.compile(r"\w*[0-9]\w*[!?]?")
_PASSWORD_NAME = re.compile(rb"pass|pwd|pw\b|psk|masterauth", re.IGNORECASE)


def _assigned(data: bytes, lead: int, start: int, end: int) -> Span | None:
    if data[start : start + 10] == b"-----BEGIN" or data[start - 1 : start + 1] == b"::":
        return None  # a key with a rule of its own; a path of names in a program
    if _RESOURCE_NAME.search(data, max(lead - NEAR, 0), lead):
        return None
    before = _NAME_BEFORE.search(data, max(lead - NEAR, 0), lead)
    name = (before[0] if before else b"") + data[lead:start]
    if _HARMLESS_NAME.search(name) or (_BARE_PASS.match(name) and not starts_line(data, lead)):
        return None
    end = value_end(data, lead, start, end)
    value = data[start:end].decode("latin-1")
    is_quoted = data[start - 1 : start] in QUOTES
    if len(value) < SHORTEST_VALUE or is_placeholder(value) or is_compared(data, start):
        return None
    is_thought_up = _PASSWORD_NAME.search(data, lead, start) is not None
    is_shouted = data[start - 1 : start] == b"=" and name[:-1].isupper()
    is_name = is_code(value) and not (is_thought_up and _THOUGHT_UP.fullmatch(value))
    if (
        is_name
        and not is_quoted
        and not (is_thought_up and is_shouted and _is_in_environment(data, lead, value))
    ):
        return None
    good = (is_password(value) or is_shouted) if is_thought_up else is_secret(value)
    return taken(data, start, end) if good else None


def _is_in_environment(data: bytes, lead: int, value: str) -> bool:
    """Whether a line like `NAME=value` gives a string as it is, and not the name of another thing."""
    return (
        starts_line(data, lead)
        and re.fullmatch(r"[A-Za-z0-9]+[!?]*", value) is not None
        and not value.islower()
    )


_CELL_BAR = re.compile(rb"\||\xe2[\x94\x95]")
_CELL_END = re.compile(rb"`?[ \t]*(?:\||\xe2[\x94\x95])")
_CELL_START = re.compile(rb"(?:\A|\n)[ \t]*(?:\||\xe2[\x94\x95].)[ \t]*`?[\w.-]*\Z", re.DOTALL)


def _cell(data: bytes, lead: int, start: int, end: int) -> Span | None:
    """A row of a table of two columns: names, and what they stand for."""
    is_row = _CELL_START.search(data, max(lead - NEAR, 0), lead) and _CELL_END.match(data, end)
    return _assigned(data, lead, start, end) if is_row else None


_AFTER_BAR = re.compile(rb"(?:[^|]\||\xe2[\x94\x95].)[ \t]*`?\Z", re.DOTALL)
_AFTER_LINE = re.compile(rb"[^:=]*\n[\"']?\Z")


def _named(data: bytes, lead: int, start: int, end: int) -> Span | None:
    led = data[lead:start]
    if b"\n" in led and _AFTER_LINE.match(led):
        return asked(data, lead, start, end)
    if (b"|" in led or b"\xe2" in led) and _AFTER_BAR.search(led):
        bar = _CELL_BAR.search(data, start, end)
        return _cell(data, lead, start, bar.start() if bar else end)
    return _assigned(data, lead, start, end)


def _some_key(data: bytes, lead: int, start: int, end: int) -> Span | None:
    """Many things are called a key; only what looks like one is taken."""
    before = _NAME_BEFORE.search(data, max(lead - NEAR, 0), lead)
    name = (before[0] if before else b"") + data[lead:start]
    value = data[start:end].decode("latin-1")
    if _HARMLESS_NAME.search(name) or data[end : end + 1] in (b"(", b"[", b".") or is_placeholder(value):
        return None
    return taken(data, start, end) if is_random(value) or is_base64_pair(value) else None


_KEY = re.compile(rb"[A-Za-z0-9+/_.~-]{16,}={0,2}")
_ABOUT_IT = re.compile(
    rb"_(?:ID|IDS|URL|URI|NAME|HASH|HEADER|FILE|PATH|DIR|ARN|TYPE|FINGERPRINT|DIGEST|PREFIX)\W*\Z"
)


def _qualified(data: bytes, lead: int, start: int, end: int) -> Span | None:
    """`TOKEN_OF_SOMETHING`, unless the last word says that the value is only about the token."""
    key = _KEY.match(data, start, end)
    if key is None or _ABOUT_IT.search(data, lead, start) or not _some_key(data, lead, start, key.end()):
        return None
    return taken(data, start, value_end(data, lead, start, end))


def _phrase(data: bytes, lead: int, start: int, end: int) -> Span | None:
    """The keys and salts of WordPress, which have blanks in them."""
    value = data[start:end].decode("latin-1").lstrip("<[*.$%")
    is_free = MARK not in data[start:end] and not is_placeholder(value)
    return (start, end) if is_free else None


_SECRET_LINE = rb"[ \t]*\"?[\w.-]+\"?:[ \t]*\"?[A-Za-z0-9+/=]{4,}\"?,?"
_SECRET_BLOCK = re.compile(_SECRET_LINE + rb"(?:\r?\n[ \t]" + _SECRET_LINE + rb")*")
_KUBERNETES = re.compile(rb"kind[\"']?: *[\"']?Secret\b")


def _secret_data(data: bytes, lead: int, start: int, end: int) -> Span | None:
    """Everything below `data:` of a Secret."""
    is_there = _KUBERNETES.search(data, max(start - 8000, 0), end + 2000)
    block = _SECRET_BLOCK.match(data, start)
    if not is_there or block is None:
        return None
    indent = len(block[0]) - len(block[0].lstrip(b" \t"))
    outside = re.search(rb"\n[ \t]{0,%d}[^ \t]" % (indent - 1), block[0]) if indent else None
    return start, start + outside.start() if outside else block.end()


ASSIGNMENTS: tuple[Rule, ...] = (
    Rule(
        "assignment",
        r"[^\s:\"'`\[\]]{4,}",
        r"(?:^|\n)[A-Za-z0-9.*-]+:(?:54[0-9]{2}|6432|\*):[\w*-]+:[\w*.-]+:",
        r"(?:\r?\n|\Z)",
        check=given,
    ),
    Rule(
        "assignment",
        r"[ \t]+[\w.-]+:[ \t]*[A-Za-z0-9+/=]{8,}",
        r"(?:^|[\n ])data:[ \t]*\r?\n",
        check=_secret_data,
    ),
    Rule(
        "assignment",
        r"\"[\w.-]+\":[ \t]*\"[A-Za-z0-9+/=]{8,}\"",
        r"\"data\":[ \t]*\{\s*",
        check=_secret_data,
    ),
    Rule(
        "assignment",
        VALUE,
        rf"\b(?:name|key|id|parameterkey)[\"']?[ \t]*[:=][ \t]*[\"']?[\w.:-]{{0,60}}{NAMED}"
        rf"[\"']?,?\s{{0,40}}[\"']?(?:parameter)?value[\"']?[ \t]*[:=][ \t]*[\"']?",
        any_case=True,
        check=_assigned,
    ),
    Rule(
        "assignment",
        VALUE,
        rf"(?:{NAMED}|\bpass)(?:{_BECOMES}|{_ON_NEXT_LINE}|{_OTHERWISE})",
        any_case=True,
        check=_named,
    ),
    Rule(  # as clouds answer
        "assignment",
        VALUE,
        r"\"SecureString\",\s{0,40}\"Value\":[ \t]*\""
        r"|\"sensitive\":[ \t]*true,\s{0,40}\"type\":[ \t]*\"string\",\s{0,40}\"value\":[ \t]*\""
        r"|::add-mask::",
        check=given,
    ),
    Rule(
        "assignment",
        r"[A-Za-z0-9+/_~-]{14,}={0,2}",
        rf"\b(?:{_KEYS}|recovery|unseal) key(?: [0-9]{{1,2}})?[\"']?[ \t]*[:=][ \t]*[\"'`]?",
        any_case=True,
        check=_some_key,
    ),
    Rule(
        "assignment",
        r"[A-Za-z0-9+/_~-]{14,}={0,2}",
        rf"(?:[a-z]K|[A-Za-z0-9][_.-][Kk]|_K|-K)(?:ey|EY){_BECOMES}|[_.-](?:PAT|pat){_BECOMES}"
        rf"|[_\"']auth{_BECOMES}",
        check=_some_key,
    ),
    Rule(
        "assignment", r"[^\s\"'`<>]{6,}", rf"<[\w.:-]{{0,40}}{NAMED}>", "</", any_case=True, check=_assigned
    ),
    Rule(
        "assignment",
        VALUE,
        rf"\([ \t]*[\"'][\w.-]{{0,60}}{NAMED}[\"'],[ \t]*[\"']",
        any_case=True,
        check=_assigned,
    ),
    Rule(  # the default of a variable in HCL
        "assignment",
        VALUE,
        rf"variable[ \t]+\"[\w-]{{0,60}}{NAMED}\"[ \t]*\{{[^{{}}]{{0,300}}?\bdefault[ \t]*=[ \t]*\"",
        any_case=True,
        check=_assigned,
    ),
    Rule(
        "assignment",
        VALUE,
        rf"(?:TOKEN|SECRET|API_KEY)(?:_[A-Z0-9]{{1,20}}){{1,3}}{_BECOMES}",
        check=_qualified,
    ),
    Rule(
        "assignment",
        r"[^'\r\n]{20,}",
        r"\b(?:AUTH|SECURE_AUTH|LOGGED_IN|NONCE)_(?:KEY|SALT)(?:['\"][ \t]*,|=)[ \t]*'",
        "'",
        check=_phrase,
    ),
)
