"""The rules behind `privacy.py`: what to look for, and what only looks like it.

A rule is a pattern in three parts (what leads, what goes, what follows) in the syntax that Python's engine
and RE2 share, and a check that sees the bytes around a find and may refuse it or widen it. Hashes, UUIDs,
version numbers, placeholders and pieces of code are no finds.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass

from sharpen.redaction import LED, SHAPES, VALUE, Led, is_harmless

Span = tuple[int, int]
Check = Callable[[bytes, int, int, int], Span | None]
"""Data, where the lead begins, where the value begins and ends; the span that goes, or None."""

NEAR = 80
"""Bytes before a find that a check looks at."""


@dataclass(frozen=True)
class Rule:
    kind: str
    value: str
    lead: str = ""
    tail: str = ""
    any_case: bool = False
    check: Check | None = None

    def span(self, data: bytes, lead: int, start: int, end: int) -> Span | None:
        """What has to go of this find; None when it only looks like one."""
        return self.check(data, lead, start, end) if self.check else (start, end)


# -- credentials ------------------------------------------------------------------------------------------

MORE_SHAPES = (
    ("sendgrid-key", r"\bSG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}"),
    ("twilio-key", r"\b(?:SK|AC)[0-9a-f]{32}\b"),
    ("digitalocean-token", r"\bdo[opr]_v1_[a-f0-9]{32,}"),
    ("google-oauth", r"\bya29\.[A-Za-z0-9_-]{20,}|\bGOCSPX-[A-Za-z0-9_-]{20,}"),
    ("azure-secret", r"\b[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}"),
    ("databricks-token", r"\bdapi[a-f0-9]{32}\b"),
    ("shopify-token", r"\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    ("telegram-token", r"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{32,34}"),
    ("discord-token", r"\b[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}"),
    ("mailgun-key", r"\bkey-[0-9a-f]{32}\b"),
    ("vault-token", r"\bhv[sbr]\.[A-Za-z0-9_-]{20,}"),
    ("docker-token", r"\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}"),
    ("linear-key", r"\blin_(?:api|oauth)_[A-Za-z0-9]{30,}"),
    ("notion-token", r"\bntn_[A-Za-z0-9]{40,}"),
    ("terraform-token", r"\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{50,}"),
    ("model-provider-key", r"\b(?:gsk_|r8_|pplx-|xai-|fw_|nvapi-|tgp_v1_)[A-Za-z0-9_-]{20,}"),
    ("grafana-token", r"\bgl(?:sa|c)_[A-Za-z0-9+/_]{30,}={0,2}"),
    ("sentry-token", r"\bsntry[su]_[A-Za-z0-9_=+/-]{30,}"),
    ("newrelic-key", r"\bNRAK-[A-Z0-9]{27}\b"),
    ("postman-key", r"\bPMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    ("age-key", r"\bAGE-SECRET-KEY-1[0-9A-Z]{50,}"),
    ("pulumi-token", r"\bpul-[a-f0-9]{40}\b"),
    ("slack-webhook", r"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,}"),
    ("discord-webhook", r"discord(?:app)?\.com/api/webhooks/[0-9]{15,}/[A-Za-z0-9_-]{30,}"),
    ("square-token", r"\b(?:sq0[a-z]{3}-[A-Za-z0-9_-]{22,}|EAAA[A-Za-z0-9_-]{60})"),
    ("pgp-key", r"-----BEGIN PGP PRIVATE KEY BLOCK-----.*?(?:-----END PGP PRIVATE KEY BLOCK-----|\Z)"),
)
_PLACEHOLDER = re.compile(
    r"\A(?:<.*|\*{3,}.*|\.{3,}.*|x{4,}.*|\$.*|%\w+%?|\{\{.*|[A-Z]+_HERE|(?:none|null|true|false|undefined|nil)\W*"
    r"|(?:your|my|some|an?|the)[_-].*|(?:changeme|placeholder|redacted|dummy|example|todo|secret|password|token"
    r"|string|required|optional)\W*)\Z",
    re.IGNORECASE,
)
# A call, an attribute, an index: the name of a secret in a program, and not the secret.
_CODE = re.compile(
    r"\A(?:[A-Za-z_]\w*(?:\.|->|::)[A-Za-z_][\w.]*(?:[(].*|\)*)|[A-Za-z_]\w*[(].*|[a-z]+(?:_[a-z]+)+\)*|!?=.*)\Z"
)
_HARMLESS_NAME = re.compile(
    rb"(?:CACHE|PUBLIC|PRIMARY|FOREIGN|SORT|PARTITION|ROW|DEDUP|HASH)_?(?:KEY|TOKEN)=\Z"
)
_QUERY_KEY = re.compile(rb"[?&](?:sort|cache|primary|partition)[_-]?key=\Z", re.IGNORECASE)


def _led(rule: Led) -> Rule:
    def check(data: bytes, lead: int, start: int, end: int) -> Span | None:
        words, value = data[lead:start].decode("latin-1"), data[start:end].decode("latin-1")
        if is_harmless(rule, words, value) or _PLACEHOLDER.match(value):
            return None
        if rule.kind == "assignment" and words[-1] not in "\"'" and _CODE.match(value):
            return None
        before = data[max(lead - NEAR, 0) : start]
        if _HARMLESS_NAME.search(before) or _QUERY_KEY.search(before):
            return None
        if rule.kind == "url-password" and _PLACEHOLDER.match(value.rpartition(":")[2]):
            return None
        return start, end

    return Rule(rule.kind, rule.value, rule.lead, rule.tail, any_case=True, check=check)


# -- who and where ----------------------------------------------------------------------------------------

_GENERIC = """
    admin administrator app build builder circleci code coder container default dev developer docker ec2-user
    git gitpod guest home host jenkins jovyan linuxbrew local me node nobody project public root runner
    runneradmin server service shared src system test tester ubuntu user username users vagrant vscode web
    work worker workspace www www-data you your-name yourname
"""
GENERIC_NAMES = frozenset(_GENERIC.split())
"""Accounts that name nobody, and words that a text is full of."""
NAME_IN_PATH = re.compile(r"(?:/(?:var/|export/)?home/|/Users/|[A-Za-z]:[\\/]+Users[\\/]+)([A-Za-z0-9._-]+)")
_LOCAL_PART = re.compile(rb"[A-Za-z0-9._%+-]{1,64}\Z")
_FILE_ENDINGS = frozenset(
    b"css gif gz html jpeg jpg js json jsx lock map md mjs png py rs sh svg tar tgz toml ts tsx txt webp whl "
    b"xml yaml yml zip".split()
)
_NOBODY = (b"git", b"noreply", b"no-reply", b"donotreply", b"postmaster", b"root", b"user", b"you", b"me")
_NOWHERE = re.compile(
    rb"(?:\A|\.)(?:example\.(?:com|org|net)|example|invalid|localhost|local|test)\Z", re.IGNORECASE
)
_VERSION_BEFORE = re.compile(rb"(?:\bv|[Vv]ersion\W{0,3}|[=~!<>]=\s?|[~^]|\w/|[A-Za-z]-|\d\.)\Z")
_VERSION_AFTER = re.compile(rb"\.?\w|-[A-Za-z]|\.\d")
_DOCUMENTATION = tuple(
    ipaddress.ip_network(net)
    for net in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32")
)
_PATH_TOKEN = re.compile(rb"[^\s\"'=:,;()<>|`\[\]]*\Z")


def _email(data: bytes, lead: int, start: int, end: int) -> Span | None:
    """The pattern finds `@domain.tld`; the part before it is looked up backwards, which is linear."""
    local = _LOCAL_PART.search(data, max(start - 64, 0), start)
    domain = data[start + 1 : end]
    if local is None or local[0].lower().startswith(_NOBODY) or _NOWHERE.search(domain):
        return None
    if domain.rpartition(b".")[2].lower() in _FILE_ENDINGS or not domain[:1].isalnum():
        return None
    return local.start(), end


def _ip(data: bytes, lead: int, start: int, end: int) -> Span | None:
    before, is_short = data[max(start - 12, 0) : start], b":" not in data[start:end]
    if is_short:
        is_version = not before.endswith(b"//") and _VERSION_BEFORE.search(before)
        if is_version or _VERSION_AFTER.match(data, end):
            return None
    text = data[start:end].decode("latin-1")
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    if address.is_loopback or address.is_unspecified or address.is_multicast or text.startswith("255."):
        return None
    if any(address in net for net in _DOCUMENTATION if net.version == address.version):
        return None
    # Names with double colons in programs look like short addresses.
    is_name = before[-1:].isalnum() or before[-1:] in (b":", b"_") or data[end : end + 1].isalnum()
    is_address = is_short or (not is_name and any(sign.isdigit() for sign in text))
    return (start, end) if is_address else None


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
    grouped = re.match(rb"\+[0-9]{1,3}[ .-]\(?[0-9]{1,5}\)?[ .-]", text) is not None
    plain = text[1:].isdigit() and not at_line_start
    return (start, end) if digits >= 9 and (grouped or (plain and digits >= 10)) else None


def _home(data: bytes, lead: int, start: int, end: int) -> Span | None:
    name = data[start:end]
    if name.lower().decode("latin-1") in GENERIC_NAMES or name.startswith((b".", b"-")):
        return None
    if data[lead : lead + 1] != b"/":
        return start, end  # a drive letter
    token = _PATH_TOKEN.search(data, max(lead - 200, 0), lead)
    before = token[0] if token else b""
    is_path = not before or before.startswith((b"/", b"~", b"-I", b"-L", b"@/")) or before.endswith(b"//")
    address = data[max(lead - NEAR, 0) : lead]
    is_url = re.search(rb"https?://[^\s\"']*\Z", address) is not None
    return (start, end) if is_path and not is_url else None


_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,40}"

RULES: tuple[Rule, ...] = (
    *(Rule(kind, pattern) for kind, pattern in (*SHAPES, *MORE_SHAPES)),
    *(_led(rule) for rule in LED),
    Rule(
        "assignment",
        VALUE + "{6,}",
        r"(?:_authToken|_password|SharedAccessKey|AccountKey|PWD|Pwd)=",
        check=_led(LED[-1]).check,
    ),
    Rule("connection-string", r"[^\s/:@\"']+/[^\s/:@\"']+", r"jdbc:oracle:[a-z]+:", "@"),
    Rule("email", r"@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,24}\b", check=_email),
    Rule("user", _NAME, r"/(?:home|Users)/|\b[A-Za-z]:(?:\\{1,4}|/)Users(?:\\{1,4}|/)", check=_home),
    Rule("ip-address", r"\b[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\b", check=_ip),
    Rule("ip-address", r"\b[0-9A-Fa-f]{1,4}(?::{1,2}[0-9A-Fa-f]{1,4}){3,7}\b", check=_ip),
    Rule("phone", r"\+[0-9][0-9 ().-]{7,18}[0-9]", check=_phone),
    Rule("phone", r"\([0-9]{3}\) ?[0-9]{3}-[0-9]{4}|\b[0-9]{3}[.-][0-9]{3}[.-][0-9]{4}\b", check=_phone),
)
"""Most specific first: the first rule that matches at a place names what was found there."""
