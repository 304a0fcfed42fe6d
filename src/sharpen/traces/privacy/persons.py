"""Rules for who the user is and where they work: e-mail addresses, telephone numbers, network addresses, home
folders, and account names where a system prints them.

Names of people in running text are not recognised. Generic accounts (`root`, `runner`), documentation and
loopback addresses and version numbers are nobody's.
"""

from __future__ import annotations

import ipaddress
import re

from sharpen.traces.privacy.rule import FAR, NEAR, Rule, Span

_GENERIC = """
    adm admin administrator agent app appuser audio backup bin build builder buildkite cdrom circleci
    claude code coder codespace codex container daemon debian default deploy deployer dev developer
    docker ec2-user everyone fedora foo git gitlab gitpod guest home host input jenkins jovyan kvm
    linuxbrew reboot local lxd mail me messagebus mongodb mysql name netdev nginx nixbld nobody node nogroup
    opc operator plugdev postgres project public rabbitmq redis root runner runneradmin sandbox server
    service shared src ssh sshd staff sudo sys syslog system systemd test tester travis tty ubuntu user
    username users utmp vagrant video vscode web wheel work worker workspace www www-data you your-name
    your_username yourname yourusername
"""
GENERIC_NAMES = frozenset(_GENERIC.split())
"""Accounts that name nobody, and words that a text is full of."""
NAME_IN_PATH = re.compile(
    r"(?:/(?:var/|export/|mnt/[a-z]/|[a-z]/)?(?:home|Users)/|[A-Za-z]:[\\/]+[Uu]sers[\\/]+)([\w.-]+)"
)
_HIGH = r"\x80-\xff"
_NAME = rf"[A-Za-z0-9_{_HIGH}][A-Za-z0-9._{_HIGH}-]{{0,40}}"

# -- e-mail and logins ------------------------------------------------------------------------------------

_LOCAL_PART = re.compile(rb"(?:[A-Za-z0-9._+\x80-\xff-]|%2[Bb]){1,64}\Z")
_NO_DOMAINS = frozenset(
    (
        b"cfg conf cpp css csv device dtype exe gif go gz h html ini ipynb java jpeg jpg js json jsx lock "
        b"log map md mjs mount ndim path png py rb rs scope service sh shape size slice socket svg swap "
        b"target tar tgz timer toml ts tsx txt values vue webp whl xml yaml yml zip "
    ).split()
)
_NOBODY = re.compile(
    rb"\A(?:git|user|you|me|root|name|email|someone|somebody|anyone|foo|bar|test|postmaster|hostmaster"
    rb"|(?:no|do-?not|dont)[._-]?reply.*)\Z",
    re.IGNORECASE,
)
_NOWHERE = re.compile(
    rb"(?:\A|\.)(?:example\.(?:com|org|net)|example|invalid|localhost|local|test|(?:my|your)?domain\.(?:com|tld))\Z"
    rb"|\Atest\.com\Z|\Ausers\.noreply\.github\.com\Z",
    re.IGNORECASE,
)


def _email(data: bytes, lead: int, start: int, end: int) -> Span | None:
    """The pattern finds `@domain.tld`; the part before it is looked up backwards, which is linear."""
    local = _LOCAL_PART.search(data, max(start - 64, 0), start)
    domain = data[start:end].lstrip(b"@%40") if data[start : start + 1] == b"%" else data[start + 1 : end]
    if local is None or _NOBODY.match(local[0]) or _NOWHERE.search(domain):
        return None
    if domain.rpartition(b".")[2].lower() in _NO_DOMAINS or data[end : end + 1] == b"(":
        return None
    first = local.start()
    escaped = data[first - 1 : first] == b"\\" and data[first : first + 1] in b"nrt"
    return first + escaped, end


_REMOTE = re.compile(rb"\b(?:ssh|scp|sftp|rsync|mosh|ssh-copy-id|autossh|sshfs)\b[^\n|;&]*\Z")
_PROMPT = re.compile(
    rb"[A-Za-z0-9.-]*(?::[~/][^\n$#%>]{0,200}[$#%>]|[ \t][^\n\s]{1,80}[ \t]?[$#%][ \t]|\][$#])"
)


def _login(data: bytes, lead: int, start: int, end: int) -> Span | None:
    """`name@host` in a prompt, or given to a program that goes there."""
    local = _LOCAL_PART.search(data, max(start - 64, 0), start)
    if local is None or _is_generic(local[0]):
        return None
    first = local.start()
    before = data[max(first - FAR, 0) : first].rpartition(b"\n")[2]
    is_prompt = re.fullmatch(rb"[\s\[(]*(?:\([\w.-]+\)\s*)?", before) and _PROMPT.match(data, start + 1)
    return (first, start) if is_prompt or _REMOTE.search(before) else None


# -- network ----------------------------------------------------------------------------------------------

_VERSION_BEFORE = re.compile(
    rb"(?:\bv|version\W{0,3}|release\W{0,3}|section |chapter |\xc2\xa7 ?|[=~!<>]=\s?|[~^]|\w/|[A-Za-z]-|\d\.)"
    rb"\Z",
    re.IGNORECASE,
)
_VERSION_AFTER = re.compile(rb"\.?\w|-[A-Za-z]|\.\d")
_NUMBERS = re.compile(rb"[0-9.]*")
_VERSION_LINE = re.compile(
    rb"\b(?:upgrad|downgrad|bump|updat|install|unpack|setting up)\w*\b[^\n]*\Z", re.IGNORECASE
)
_METADATA = "169.254.169.254/32"  # where every cloud tells a machine about itself
_DOCUMENTATION = tuple(
    ipaddress.ip_network(net)
    for net in (
        "192.0.2.0/24",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "2001:db8::/32",
        "3fff::/20",
        _METADATA,
    )
)


def _ipv4(data: bytes, lead: int, start: int, end: int) -> Span | None:
    before = data[max(start - NEAR, 0) : start].rpartition(b"\n")[2]
    is_version = not before.endswith(b"//") and _VERSION_BEFORE.search(before)
    if is_version or _VERSION_AFTER.match(data, end) or _VERSION_LINE.search(before):
        return _skipped(data, end)
    first, second, third, fourth = map(int, data[start:end].split(b"."))
    if first != 10 and max(first, second, third) <= 30 and fourth < 100:
        return None  # four small numbers are a version; one address in five thousand looks like that
    return _address(data, start, end)


def _skipped(data: bytes, end: int) -> Span:
    """Nothing, at the end of a chain of numbers, so that its middle is not asked again."""
    rest = _NUMBERS.match(data, end)
    return (rest.end(), rest.end()) if rest else (end, end)


def _ipv6(data: bytes, lead: int, start: int, end: int) -> Span | None:
    while data[end - 1 : end] == b":" and data[end - 2 : end] != b"::":
        end -= 1
    return None if data[end : end + 1].isalnum() else _address(data, start, end)


def _address(data: bytes, start: int, end: int) -> Span | None:
    text = data[start:end].decode("latin-1")
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    if address.is_loopback or address.is_unspecified or address.is_multicast or text.startswith("255."):
        return None
    is_documented = any(address in net for net in _DOCUMENTATION if net.version == address.version)
    return None if is_documented else (start, end)


# -- telephone --------------------------------------------------------------------------------------------


def _phone(data: bytes, lead: int, start: int, end: int) -> Span | None:
    text, before = data[start:end], data[max(start - 1, 0) : start]
    digits = sum(byte in b"0123456789" for byte in text)
    if before[-1:].isalnum() or before[-1:] in (b".", b"-", b"_", b"/", b"+", b"#") or digits > 15:
        return None
    if (
        data[end : end + 1].isalnum()
        or data[end : end + 2] in (b":0", b",0")
        or re.match(rb"[.:,]\d", data[end : end + 2])
    ):
        return None
    if text[:1] != b"+":
        return start, end
    at_line_start = start == 0 or before == b"\n"  # where a line of a diff begins
    grouped = re.match(rb"\+[0-9]{1,3}[ .-]?(?:\(0\) ?)?\(?[0-9]{1,5}\)?[ .-]", text) is not None
    plain = text[1:].isdigit() and not at_line_start
    return (start, end) if digits >= 9 and (grouped or (plain and digits >= 10)) else None


def _called_phone(data: bytes, lead: int, start: int, end: int) -> Span | None:
    digits = sum(byte in b"0123456789" for byte in data[start:end])
    return (start, end) if 7 <= digits <= 15 else None


# -- homes and accounts -----------------------------------------------------------------------------------

_PATH_TOKEN = re.compile(rb"[^\s\"'=:,;()<>|`\[\]]*\Z")
_SOURCES = re.compile(
    rb"/(?:src|app|apps|pages|views|components|routes|screens|public|static|assets|templates|node_modules|api)(?:/|\Z)"
)
_PAGE_BEFORE = re.compile(
    rb"(?:https?://[^\s\"']*|\b(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)[ \t]+"
    rb"|\b(?:href|action|to)=\{?[\"'`]|\.(?:get|post|put|patch|delete|push|replace|navigate|route|redirect)\([\"'`])\Z"
)
"""What stands before the path of a page, which may be called `/home/something`, too."""


def _is_generic(name: bytes) -> bool:
    return name.isdigit() or len(name) < 2 or name.lower().decode("latin-1") in GENERIC_NAMES


def _home(data: bytes, lead: int, start: int, end: int) -> Span | None:
    name = data[start:end].rstrip(b".")
    if _is_generic(name) or name.startswith((b".", b"-")):
        return None
    if data[lead : lead + 1] != b"/":
        return start, start + len(name)  # a drive letter
    token = _PATH_TOKEN.search(data, max(lead - 200, 0), lead)
    before = token[0] if token else b""
    if _SOURCES.search(before) or name.rpartition(b".")[2].lower() in _NO_DOMAINS:
        return None
    is_path = not before or before.startswith((b"/", b"~", b"-I", b"-L", b"@/")) or before.endswith(b"//")
    is_page = _PAGE_BEFORE.search(data, max(lead - NEAR, 0), lead) is not None
    return (start, start + len(name)) if is_path and not is_page else None


def _account(data: bytes, lead: int, start: int, end: int) -> Span | None:
    name = data[start:end].rstrip(b".:,-")
    return None if _is_generic(name) or name.startswith(b"[") else (start, start + len(name))


_HOST = re.compile(rb"(?:\A|\n)[ \t]*Host(?:Name)?[ \t]")


def _ssh_account(data: bytes, lead: int, start: int, end: int) -> Span | None:
    """`User name`, below a host in the settings of SSH."""
    before = data[max(lead - FAR, 0) : lead]
    is_setting = _HOST.search(before) and not before.rpartition(b"\n")[2].strip()
    return _account(data, lead, start, end) if is_setting else None


def _owner(data: bytes, lead: int, start: int, end: int) -> Span | None:
    """Owner and group of a file."""
    owner, group = re.split(rb"[ \t]+", data[start:end])
    if not _is_generic(owner):
        return (start, start + len(owner)) if _is_generic(group) else (start, end)
    return None if _is_generic(group) else (end - len(group), end)


def _passwd(data: bytes, lead: int, start: int, end: int) -> Span | None:
    """A line of the user database; its real name goes, too."""
    name, _, number = data[start:end].split(b":")[:3]
    return None if _is_generic(name) or not 500 <= int(number) < 65_000 else (start, end)


_MODE = r"[-dlbcps][r-][w-][xsS-][r-][w-][xsS-][r-][w-][xtT-][.+@]?"
_WINDOWS_HOME = r"\b[A-Za-z]:(?:\\{1,4}|/)[Uu]sers(?:\\{1,4}|/)"

PERSONS: tuple[Rule, ...] = (
    Rule(
        "email",
        rf"(?:@|%40)[A-Za-z0-9{_HIGH}][A-Za-z0-9{_HIGH}-]*(?:\.[A-Za-z0-9{_HIGH}-]+)*\.[A-Za-z]{{2,24}}\b",
        rf"[A-Za-z0-9._+{_HIGH}-]",
        check=_email,
    ),
    Rule("user", r"@[A-Za-z][A-Za-z0-9.-]*", r"[A-Za-z0-9_]", check=_login),
    Rule(
        "user",
        rf"[A-Za-z0-9_{_HIGH}][^\\/:*?\"<>|\r\n\t$%{{\[]{{0,40}}",
        _WINDOWS_HOME,
        r"[\\/]",
        check=_home,
    ),
    Rule(
        "user",
        _NAME,
        rf"/(?:home|Users)/|{_WINDOWS_HOME}|\\\\wsl(?:\$|\.localhost)\\{{1,2}}[\w.-]+\\{{1,2}}home\\{{1,2}}",
        check=_home,
    ),
    Rule("user", r"[A-Za-z0-9_]+", r"(?:^|[\n/\"' ])-Users-|(?:^|[\n/\"'])-home-", "-", check=_account),
    Rule("user", rf"{_NAME}[ \t]+{_NAME}", rf"{_MODE}[ \t]+[0-9]+[ \t]+", r"[ \t]+[0-9]", check=_owner),
    Rule(
        "user",
        _NAME,
        r"\b(?:e?[ug]id=|groups=)[0-9]+\(|\),[0-9]+\(|\b(?:USER|LOGNAME|USERNAME|SUDO_USER)=[\"']?"
        r"|\[sudo\] password for |\b(?:Failed|Accepted) password for (?:invalid user )?"
        r"|\bDefaults entries for |\bLogged in to [\w.-]+ (?:account|as) |\bpublickey for |\bopened for user "
        r"|\b(?:whoami|logname|id -un)[ \t]*\r?\n(?:[\w.-]+\\)?|\bUid: \( *[0-9]+/ *",
        check=_account,
    ),
    Rule(
        "user",
        _NAME,
        r"(?:^|\n)",
        r"(?:[ \t]+[0-9]+[ \t]+(?:[0-9]+\.[0-9]+[ \t]+[0-9]+\.[0-9]+[ \t]+[0-9]+"
        r"|[0-9]+[ \t]+[0-9]+[ \t]+(?:[0-9]{2}:[0-9]{2}|[A-Z][a-z]{2}[0-9]{2})[ \t])"
        r"|[ \t]+(?:pts/[0-9]+|tty[0-9A-Z]\w*|console|:[0-9])[ \t]| is not in the sudoers)",
        check=_account,
    ),
    Rule("user", _NAME, r"\bsudo(?:\[[0-9]+\])?:[ \t]+", r" : (?:TTY|PWD)=", check=_account),
    Rule("user", _NAME, r"\bUser ", r"\r?\n", check=_ssh_account),
    Rule("user", _NAME, r"\bUser ", r" may run the following commands", check=_account),
    Rule("user", rf"{_NAME}:[x*]?:[0-9]+:[0-9]+:[^:\n]*", r"(?:^|\n)", ":", check=_passwd),
    Rule("ip-address", r"\b[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\b", check=_ipv4),
    Rule(
        "ip-address",
        r"\b(?:[23][0-9A-Fa-f]{3}|[Ff][c-eC-E][0-9A-Fa-f]{2})(?::[0-9A-Fa-f]{0,4}){2,7}",
        check=_ipv6,
    ),
    Rule(
        "phone",
        r"[+(]?[0-9][0-9 ()./-]{5,18}[0-9]",
        r"\b(?:tel|phone|mobile|fax|cell|telefon|telephone|handy|whatsapp)(?:[ _-]?(?:number|nr|no))?\.?"
        r"[\"']?[ \t]*[:=][ \t]*[\"']?",
        any_case=True,
        check=_called_phone,
    ),
    Rule("phone", r"\+[0-9][0-9 ().-]{7,18}[0-9]", check=_phone),
    Rule("phone", r"\([0-9]{3}\) ?[0-9]{3}-[0-9]{4}|\b[0-9]{3}[.-][0-9]{3}[.-][0-9]{4}\b", check=_phone),
)
