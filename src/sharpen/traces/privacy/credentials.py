"""Rules for credentials: known by their shape, or by what stands before them.

`shapes.py` lists the shapes, `values.py` tells a secret from a placeholder, a word or a piece of code. Here
is what leads to them: headers, addresses, assignments in any syntax, options of commands, keys in lines.
"""

from __future__ import annotations

import re

from sharpen.traces.privacy.rule import FAR, NEAR, Rule, Span
from sharpen.traces.privacy.shapes import ALL_SHAPES
from sharpen.traces.privacy.values import (
    is_base64_pair,
    is_code,
    is_filler,
    is_password,
    is_placeholder,
    is_random,
    is_secret,
)

SHORTEST_VALUE = 6


# -- known by shape ---------------------------------------------------------------------------------------


def _shape(data: bytes, lead: int, start: int, end: int) -> Span | None:
    return None if is_filler(data[start:end].decode("latin-1")) else (start, end)


def _random_shape(data: bytes, lead: int, start: int, end: int) -> Span | None:
    """For shapes that a name in a program could have."""
    value = data[start:end].decode("latin-1")
    return (start, end) if is_random(value) else None


_COULD_BE_A_NAME = frozenset({"vault-token", "package-token"})
_ANY_SHAPE = re.compile("|".join(pattern for _, pattern in ALL_SHAPES).encode("latin-1"))

_BREAK = rb"(?:\r?\n|(?:\\+r)?\\+n)"
_SIGNS = rb"[^A-Za-z0-9\r\n\\]{0,20}"
_EDGE = _SIGNS + rb"(?:[0-9]{1,5}[^A-Za-z0-9\r\n\\]{1,4})?"  # of a diff, a list, a numbered line
_BODY_LINE = _EDGE + rb"[A-Za-z0-9][A-Za-z0-9+/=]{15,}" + _SIGNS
_HEADER_LINE = _EDGE + rb"(?:[A-Z][A-Za-z-]{2,20}: [^\r\n\\]{0,120})?"
_KEY_BODY = re.compile(
    _BREAK
    + rb"?(?:%b%b){0,6}?%b(?:%b(?:%b|%b))*" % (_HEADER_LINE, _BREAK, _BODY_LINE, _BREAK, _BODY_LINE, _SIGNS)
)
_KEY_END = re.compile(rb"[\s\S]{0,240}?-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_LINES_BEFORE = re.compile(rb"(?:(?:\A|%b)%b)+(?:%b)?%b\Z" % (_BREAK, _BODY_LINE, _BREAK, _SIGNS))
LONGEST_KEY = 20_000


def _key_after(data: bytes, lead: int, start: int, end: int) -> Span | None:
    """From where a private key begins to where its lines end, whether or not the end was told."""
    body = _KEY_BODY.match(data, end, end + LONGEST_KEY)
    if body is None:
        return None
    last = _KEY_END.match(data, max(end, body.end() - NEAR), body.end() + LONGEST_KEY)
    return start, last.end() if last else body.end()


def _key_before(data: bytes, lead: int, start: int, end: int) -> Span | None:
    """Lines of a private key whose beginning was cut off."""
    body = _LINES_BEFORE.search(data, max(start - LONGEST_KEY, 0), start)
    return (body.start(), end) if body else None


# -- known by what stands before --------------------------------------------------------------------------

_KEYS = (
    "access|account|admin|api|app|application|auth|client|consumer|crypt|decryption|deploy|encryption|hmac|jwt"
    "|license|licence|master|private|secret|service|session|shared|signing|ssh|storage|subscription|webhook"
)
NAMED = (
    rf"(?:(?:{_KEYS})[_.-]?key(?:[_.-]?(?:data|base))?|token|secret|passw(?:or)?d|passphrase|passcode"
    r"|credentials?|[_.-](?:pass|pwd)|\bpwd)"
    r"(?:_?(?:[0-9]{1,2}|prod|production|staging|live|dev|value|plain|b64|base64))?"
)
SECRET_NAME = re.compile(
    rf"{NAMED}|key|auth|cookie|pass|pwd|pat\Z|\b(?:tel|phone|mobile|fax|cell)|\A-", re.IGNORECASE
)
"""Names that make a difference to what is below them."""
_TYPE = r"(?:[ \t]*:[ \t]*(?:str|string|&str|&'static str|secretstr|text|optional\[str\]))?"
_BECOMES = rf"""["']?\]?{_TYPE}[ \t]*(?:=>|:=|[=:])[ \t]*(?:[bfru]?["'`])?"""
_VALUE = r"[^\s\"'`]{6,}"

_NAME_BEFORE = re.compile(rb"[\w.$-]*\Z")
_HARMLESS_NAME = re.compile(
    rb"(?:cache|public|primary|foreign|sort|partition|row|dedup|hash|object|s3|idempotency|lookup|range|group"
    rb"|routing|index|unique|natural|composite|registry|translation|i18n|react|item|query|storage_local|eos|bos|pad"
    rb"|unk|sep|cls|mask|stop|next|page|continuation)[_.-]?(?:key|token)s?(?:token)?[\"']?\W*\Z",
    re.IGNORECASE,
)
_LINE_START = re.compile(
    rb"(?:\A|\n)[ \t+>-]*(?:[0-9]+[:\t -])?(?:export |set |setx |env |ENV |- )?[A-Z0-9_]*\Z"
)
_PASSWORD_NAME = re.compile(rb"passw|passphrase|passcode|pass|pwd", re.IGNORECASE)
_ENDS_VALUE = re.compile(rb"[,;&<>\\\[\]{}|]")
_MARK = b"[redacted:"


def _value_end(data: bytes, lead: int, start: int, end: int) -> int:
    """Where a value ends: at its quote, with a line that is an assignment, or at a sign of syntax."""
    quote = data[start - 1 : start]
    if quote in (b'"', b"'", b"`"):
        close = data.find(quote, start, start + FAR)
        if close > 0 and not re.search(rb"\s", data[start:close]):
            return close
    elif quote == b"=" and _LINE_START.search(data, max(lead - NEAR, 0), lead):
        return end
    found = _ENDS_VALUE.search(data, start, end)
    end = found.start() if found else end
    if b"(" not in data[start:end]:
        while data[end - 1 : end] in (b")", b".", b":"):
            end -= 1
    return end


def _taken(data: bytes, start: int, end: int) -> Span | None:
    """A value that has a shape goes as far as the shape goes; one that was taken already stays as it is."""
    shaped = _ANY_SHAPE.match(data, start)
    end = max(end, shaped.end()) if shaped else end
    mark = data.find(_MARK, start, end)
    end = mark if mark >= 0 else end
    return (start, end) if end > start else None


def _assigned(data: bytes, lead: int, start: int, end: int) -> Span | None:
    if data[start : start + 10] == b"-----BEGIN":
        return None
    before = _NAME_BEFORE.search(data, max(lead - NEAR, 0), lead)
    name = (before[0] if before else b"") + data[lead:start]
    if _HARMLESS_NAME.search(name):
        return None
    end = _value_end(data, lead, start, end)
    value = data[start:end].decode("latin-1")
    is_quoted = data[start - 1 : start] in (b'"', b"'", b"`")
    if len(value) < SHORTEST_VALUE or is_placeholder(value):
        return None
    is_thought_up = _PASSWORD_NAME.search(data, lead, start) is not None
    is_name = is_code(value) and not (is_thought_up and re.fullmatch(r"\w*[0-9]\w*", value))
    if is_name and not is_quoted:
        return None
    is_shouted = data[start - 1 : start] == b"=" and name[:-1].isupper()
    good = (is_password(value) or is_shouted) if is_thought_up else is_secret(value)
    return _taken(data, start, end) if good else None


def _some_key(data: bytes, lead: int, start: int, end: int) -> Span | None:
    """Many things are called a key; only what looks like one is taken."""
    before = _NAME_BEFORE.search(data, max(lead - NEAR, 0), lead)
    name = (before[0] if before else b"") + data[lead:start]
    value = data[start:end].decode("latin-1")
    if _HARMLESS_NAME.search(name) or data[end : end + 1] in (b"(", b"[", b"."):
        return None
    return _taken(data, start, end) if is_random(value) or is_base64_pair(value) else None


def _given(data: bytes, lead: int, start: int, end: int) -> Span | None:
    """What follows words that announce a secret, whatever it looks like."""
    end = _value_end(data, lead, start, end)
    value = data[start:end].decode("latin-1")
    if len(value) < 4 or value[0] in "-/" or is_placeholder(value) or value.startswith("id="):
        return None
    return _taken(data, start, end) if is_password(value) else None


def _header(data: bytes, lead: int, start: int, end: int) -> Span | None:
    end = _value_end(data, lead, start, end)
    value = data[start:end].decode("latin-1")
    if len(value) < 8 or is_placeholder(value) or is_code(value) or not is_secret(value):
        return None
    return _taken(data, start, end)


def _address(data: bytes, lead: int, start: int, end: int) -> Span | None:
    """What stands before the host: a password after a colon, or a token alone."""
    value = data[start:end].decode("latin-1")
    user, colon, password = value.partition(":")
    if _MARK in data[start:end] or is_placeholder(password if colon else user):
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
    if not any(not is_placeholder(value.decode("latin-1")) for value in long) or _MARK in data[start:end]:
        return None
    return start, end


_COMMANDS = {
    b"-p": re.compile(rb"\b(?:mysql\w*|mariadb\S*|sshpass|mongo\w*|az login|docker login|podman login|7z)\b"),
    b"-a": re.compile(rb"\bredis-cli\b"),
    b"-w": re.compile(rb"\bldap\w+\b"),
    b"-P": re.compile(rb"\b(?:sqlcmd|bcp|zip|unzip)\b"),
    b"-u": re.compile(rb"\b(?:curl|wget|http|https|lftp|Invoke-\w+)\b"),
    b"-U": re.compile(rb"\b(?:curl|smbclient)\b"),
    b"--user": re.compile(rb"\b(?:curl|wget)\b"),
    b"--proxy-user": re.compile(rb"\bcurl\b"),
}
_PASSWORD_ALONE = frozenset({b"-p", b"-a", b"-w", b"-P"})
_NEEDS_NO_BLANK = (b"mysql", b"mariadb", b"7z")


def _option(data: bytes, lead: int, start: int, end: int) -> Span | None:
    """The password after an option, when the command of that line is known to take one there."""
    option = re.sub(rb"\A\s(--[a-z-]+|-[A-Za-z]).*", rb"\1", data[lead:start])
    line = data[max(lead - FAR, 0) : lead].rpartition(b"\n")[2]
    command = _COMMANDS.get(option)
    found = command.search(line) if command else None
    last = data[start - 1 : start]
    if found is None or (found[0].startswith(_NEEDS_NO_BLANK) and last.isspace()):
        return None
    if option not in _PASSWORD_ALONE and last not in b":%":
        return None
    return _given(data, lead, start, end)


_SECRET_LINE = rb"[ \t]*\"?[\w.-]+\"?:[ \t]*\"?[A-Za-z0-9+/=]{4,}\"?,?"
_SECRET_BLOCK = re.compile(_SECRET_LINE + rb"(?:\r?\n[ \t]" + _SECRET_LINE + rb")*")
_KUBERNETES = re.compile(rb"kind[\"']?: *[\"']?Secret\b")


def _secret_data(data: bytes, lead: int, start: int, end: int) -> Span | None:
    """Everything below `data:` of a Secret."""
    is_there = _KUBERNETES.search(data, max(start - 8000, 0), end + 2000)
    block = _SECRET_BLOCK.match(data, start)
    return (start, block.end()) if is_there and block else None


CREDENTIALS: tuple[Rule, ...] = (
    Rule("private-key", r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----", check=_key_after),
    Rule("private-key", r"-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----", check=_key_before),
    *(
        Rule(
            kind,
            pattern,
            begins_word=True,
            check=_random_shape if kind in _COULD_BE_A_NAME else _shape,
        )
        for kind, pattern in ALL_SHAPES
    ),
    Rule(
        "header",
        _VALUE,
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
        r"[?&][a-z0-9_-]{0,40}(?:key|token|secret|password|passwd|pwd|signature|sig|auth)=",
        any_case=True,
        check=_query,
    ),
    Rule("connection-string", r"[^\s/:@\"'\[]+/[^\s/:@\"'\[]+", r"jdbc:oracle:[a-z]+:|\bsqlplus[ \t]+", "@"),
    Rule(
        "assignment",
        r"[^\s:\"'`\[\]]{4,}",
        r"(?:^|\n)[A-Za-z0-9.*-]+:(?:54[0-9]{2}|6432|\*):[\w*-]+:[\w*.-]+:",
        r"(?:\r?\n|\Z)",
        check=_given,
    ),
    Rule("assignment", r"[ \t]+[\w.-]+:[ \t]*[A-Za-z0-9+/=]{8,}", r"\ndata:[ \t]*\r?\n", check=_secret_data),
    Rule(
        "assignment",
        r"\"[\w.-]+\":[ \t]*\"[A-Za-z0-9+/=]{8,}\"",
        r"\"data\":[ \t]*\{\s*",
        check=_secret_data,
    ),
    Rule(
        "assignment",
        _VALUE,
        rf"\b(?:name|key|id|parameterkey)[\"']?[ \t]*[:=][ \t]*[\"']?[\w.:-]{{0,60}}{NAMED}"
        rf"[\"']?,?\s{{0,40}}[\"']?(?:parameter)?value[\"']?[ \t]*[:=][ \t]*[\"']?",
        any_case=True,
        check=_assigned,
    ),
    Rule("assignment", _VALUE, rf"{NAMED}{_BECOMES}", any_case=True, check=_assigned),
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
        _VALUE,
        rf"\([\"'][\w.-]{{0,60}}{NAMED}[\"'],[ \t]*[\"']",
        any_case=True,
        check=_assigned,
    ),
    Rule(
        "password",
        r"[^\s\"'`]{4,}",
        r"\b(?:password|identified[ \t]+by)[ \t]+[\"']|\blogin[ \t]+\S{1,80}\s+password[ \t]+"
        r"|\bconvertto-securestring[ \t]+(?:-string[ \t]+)?[\"']|\bpass(?:in|out)?[ \t]+pass:",
        any_case=True,
        check=_given,
    ),
    Rule(
        "password",
        _VALUE,
        rf"[ \t\"'](?:--?[\w-]{{0,40}}{NAMED}|-storepass|-keypass|-pw)[ \t]+[\"']?"
        rf"|\b(?:env|setx|set[ \t]+-[gux]+|config[ \t]+set|secrets?[ \t]+(?:put|set))[ \t]+"
        rf"[\w./:-]{{0,80}}{NAMED}[ \t]+[\"']?",
        any_case=True,
        check=_given,
    ),
    Rule(
        "password",
        r"[^\s\"'`]{4,}",
        r"[ \t](?:-[apwPuU]|--user|--proxy-user)(?:[ \t]+|=)?[\"']?(?:[^\s:\"'$%]{1,64}[:%])?",
        check=_option,
    ),
)
