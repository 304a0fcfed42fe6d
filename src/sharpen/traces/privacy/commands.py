"""Rules for passwords given to programs: options of commands, words at a known place, directives of
configuration files, statements of SQL.
"""

from __future__ import annotations

import re

from sharpen.traces.privacy.assignments import NAMED
from sharpen.traces.privacy.extent import VALUE, given, is_compared
from sharpen.traces.privacy.rule import FAR, NEAR, Rule, Span
from sharpen.traces.privacy.values import is_code, is_placeholder, is_secret

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
    if option not in _PASSWORD_ALONE and last not in (b"," if found[0] == b"lftp" else b":%"):
        return None
    return given(data, lead, start, end)


_DIRECTIVE = re.compile(rb"(?:\A|\n)[ \t]*[\w.-]*\Z")
_TYPE_OR_VERSION = re.compile(
    r"v?[0-9]+\.[0-9].*|[0-9]{4}-[0-9]{2}-.*|[a-z]+-?[0-9]{1,3}\W*|.*\b(?:sha|md|aes)-?[0-9]{1,3}\w*",
    re.IGNORECASE,
)


def _directive(data: bytes, lead: int, start: int, end: int) -> Span | None:
    """A line that is a name, blanks and a value: in configuration files and tables of two columns."""
    value = data[start:end].decode("latin-1")
    if not _DIRECTIVE.search(data, max(lead - NEAR, 0), lead) or is_placeholder(value) or is_code(value):
        return None
    if _TYPE_OR_VERSION.fullmatch(value) or is_compared(data, start):
        return None
    is_thought_up = data[lead : lead + 4].lower() == b"pass"
    has_number = len(value) >= 8 and not value.isdigit() and any(sign.isdigit() for sign in value)
    return given(data, lead, start, end) if (has_number if is_thought_up else is_secret(value)) else None


_WORD = r"(?:\"[^\"\r\n]*\"|'[^'\r\n]*'|[^\s\"']+)[ \t]+"

COMMANDS: tuple[Rule, ...] = (
    Rule(  # programs that take the password as their last word but without an option
        "password",
        r"[^\s\"'`]{4,}",
        rf"\b(?:htpasswd[ \t]+-[A-Za-z]*n[A-Za-z]*[ \t]+(?:[0-9]+[ \t]+)?"
        rf"|htpasswd[ \t]+(?:-[A-Za-z]+[ \t]+){{0,2}}-[A-Za-z]*b[A-Za-z]*[ \t]+"
        rf"(?:-[A-Za-z]+[ \t]+|[0-9]+[ \t]+){{0,3}}{_WORD}"
        rf"|mc[ \t]+alias[ \t]+set[ \t]+{_WORD}{_WORD}"
        rf"|rabbitmqctl[ \t]+(?:add_user|change_password)[ \t]+|wpa_passphrase[ \t]+"
        rf"|net[ \t]+user[ \t]+){_WORD}[\"']?",
        check=given,
    ),
    Rule(
        "password",
        r"[^\s\"'`|]{4,}",
        r"\becho[ \t]+(?:-n[ \t]+)?[\"']?",
        r"[\"']?[ \t]*\|[ \t]*(?:(?:sudo[ \t]+)?(?:chpasswd|passwd[ \t]+--stdin)|sudo[ \t]+-S"
        r"|[^\r\n|]{1,200}--(?:password-stdin|with-token))",
        check=given,
    ),
    Rule(
        "password",
        VALUE,
        r"(?:passw(?:or)?d|passphrase|secret|token|api[_.-]?key)[ \t]+",
        r"[ \t]*(?:\r?\n|\Z)",
        any_case=True,
        check=_directive,
    ),
    Rule(
        "password",
        r"[^\s\"'`]{4,}",
        r"passw(?:or)?d[ \t]+[\"']|\bidentified[ \t]+by[ \t]+[\"']|\blogin[ \t]+\S{1,80}\s+password[ \t]+"
        r"|\bconvertto-securestring[ \t]+(?:-string[ \t]+)?[\"']|[ \t]-pass(?:in|out)?[ \t]+[\"']?pass:"
        r"|\b(?:requirepass|masterauth|masterpass|bindpw|rootpw|auth_pass|wpa-psk)[ \t]+[\"']?"
        r"|\bset[ \t]+password\b[^\r\n=]{0,80}=[ \t]*(?:password\()?[\"']",
        any_case=True,
        check=given,
    ),
    Rule(
        "password",
        VALUE,
        rf"[ \t\"'](?:--?[\w-]{{0,40}}{NAMED}|-storepass|-keypass|-pw)[ \t]+[\"']?"
        rf"|\b(?:env|setx|set[ \t]+-[gux]+|config(?:ure)?[ \t]+set|secrets?[ \t]+(?:put|set))[ \t]+"
        rf"[\w./:-]{{0,80}}{NAMED}[ \t]+(?:(?:--body|-b)[ \t=]+)?[\"']?"
        r"|\bsecret[ \t]+set[ \t]+[\w-]{1,80}[ \t]+(?:--body|-b)[ \t=]+[\"']?"
        r"|[ \t\"']-Dsonar\.login=|\bwandb[ \t]+login[ \t]+|\bsnyk[ \t]+auth[ \t]+",
        any_case=True,
        check=given,
    ),
    Rule(
        "password",
        r"[^\s\"'`]{4,}",
        r"[ \t](?:-[apwPuU]|--user|--proxy-user)(?:[ \t]+|=)?[\"']?(?:[^\s:,\"'$%]{1,64}[:%,])?",
        check=_option,
    ),
)
