"""Taking credentials out of text before it is stored, shown or raised.

Knows the shapes of common keys and tokens, and the values of environment variables whose names say that they
are secret. Each find becomes `[redacted:kind]`; the text around it stays. Redacting twice changes nothing.
Hashes, UUIDs and numbers are left alone. E-mail addresses, paths and names are not its business.
Standard library only.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

_SHORTEST_SECRET: Final = 8  # characters; shorter values would take ordinary words out of texts
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL", re.IGNORECASE)
_MARK = re.compile(r"\[redacted:[a-z-]+\]")

# Patterns keep to what linear-time engines know, too: no look-around. What needs more is a check in Python.
# Most specific first: the first pattern that matches at a place names what was found there.
SHAPES: Final = (
    ("private-key", r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"),
    ("anthropic-key", r"\bsk-ant-[A-Za-z0-9_-]{8,}"),
    ("openai-key", r"\bsk-(?:proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{16,}"),
    ("google-key", r"\bAIza[A-Za-z0-9_-]{30,}"),
    ("github-token", r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})"),
    ("gitlab-token", r"\bgl(?:pat|ptt|dt|rt|cbt)-[A-Za-z0-9_-]{16,}"),
    ("slack-token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bxapp-[A-Za-z0-9-]{10,}"),
    ("aws-key", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    ("huggingface-token", r"\bhf_[A-Za-z0-9]{16,}"),
    ("stripe-key", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    ("package-token", r"\b(?:npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,})"),
    ("jwt", r"\beyJ[A-Za-z0-9_-]{6,4096}\.[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]*"),
)
VALUE: Final = r"""[^\s"'`,;&<>\\\[\]{}]"""
_NAMED = r"(?:(?:api|access|secret|private|auth|account|client|signing)[_-]?key|token|secret|passw(?:or)?d)"
_SIGN = re.compile(r"[0-9+/=_!@#$%^*-]")
_NO_WORD = re.compile(r"[0-9=+_~]|[a-z][A-Z]|[A-Z]{4}|\w[./-]\w*[./-]")
_FIRST_PART: Final = 81  # characters in which a sign must stand, so that no text takes quadratic time


def _has_sign(value: str) -> bool:
    """Words of a sentence have no digits and no signs."""
    return _SIGN.search(value[:_FIRST_PART]) is not None


def _is_no_word(value: str) -> bool:
    return _NO_WORD.search(value[:_FIRST_PART]) is not None


class Led(NamedTuple):
    """What follows certain words is secret whatever it looks like; the words themselves stay."""

    kind: str
    hints: tuple[str, ...]
    """In lower case; one of them must occur for the pattern to be tried."""
    lead: str
    value: str
    tail: str = ""
    check: Callable[[str], bool] | None = None


LED: Final = (
    Led(
        "header",
        ("bearer", "basic"),
        r"\b(?:bearer|basic)[ \t]+",
        r"[\w.~+/=-]{12,}",
        check=_is_no_word,
    ),
    Led(
        "header",
        ("api-key", "authorization"),
        r"""(?:api-key|authorization)["']?[ \t]*[:=][ \t]*["']?""",
        VALUE + r"{8,}",
    ),
    Led("url-password", ("://",), r"://", r"[^\s/@:\[\]\"']*:[^\s/@\[\]\"']+", "@"),
    Led(
        "query",
        ("?", "&"),
        r"[?&][a-z0-9_-]{0,40}(?:key|token|secret|password|signature|sig)=",
        r"[^\s&#\"'<>\[\]]{4,}",
    ),
    Led(
        "assignment",
        ("key=", "token=", "secret=", "password=", "passwd="),
        r"(?-i:(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)=)",
        VALUE + r"{6,}",
    ),
    Led(
        "assignment",
        ("key", "token", "secret", "passw"),
        _NAMED + r"""["']?[ \t]*[=:][ \t]*["']?""",
        VALUE + r"{8,}",
        check=_has_sign,
    ),
)

_SHAPE = re.compile(
    "|".join(f"(?P<{name.replace('-', '_')}>{pattern})" for name, pattern in SHAPES), re.DOTALL
)
_SHAPE_HINTS: Final = (
    *(
        "-----BEGIN",
        "sk-",
        "AIza",
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat_",
        "gl",
        "xox",
        "xapp-",
    ),
    *("AKIA", "ASIA", "ABIA", "ACCA", "hf_", "k_live_", "k_test_", "npm_", "pypi-", "eyJ"),
)
_LEADS = tuple(
    (rule, re.compile(f"(?P<lead>{rule.lead})(?P<value>{rule.value})(?P<tail>{rule.tail})", re.IGNORECASE))
    for rule in LED
)
# Most texts hold nothing that any rule could begin at: one search tells.
_ANY_HINT = re.compile(
    "|".join(
        sorted(
            {
                re.escape(hint.lower())
                for hint in (*_SHAPE_HINTS, *(hint for rule in LED for hint in rule.hints))
            }
        )
    )
)
# A number, or a reference to a variable.
HARMLESS_VALUE: Final = re.compile(r"\A(?:[0-9.]{1,15}|\$\(?\w+\)?)\Z")


class Redactor:
    """Takes secrets out; `found` counts what was taken, by kind."""

    def __init__(
        self, extra_secrets: Iterable[str] = (), *, environ: Mapping[str, str] | None = None
    ) -> None:
        self.found: Counter[str] = Counter()
        values = {*_secret_values(os.environ if environ is None else environ), *extra_secrets}
        usable = sorted((v for v in values if len(v) >= _SHORTEST_SECRET), key=len, reverse=True)
        self._secrets = tuple(value for value in usable if not _MARK.search(value))
        self._known = re.compile("|".join(map(re.escape, self._secrets))) if self._secrets else None

    def redact(self, text: str) -> str:
        """The text without its secrets."""
        if self._known is not None:
            text = self._known.sub(self._environment, text)
        if _ANY_HINT.search(text.lower()) is None:
            return text
        if any(hint in text for hint in _SHAPE_HINTS):
            text = _SHAPE.sub(self._shape, text)
        lowered = text.lower()
        for rule, pattern in _LEADS:
            if any(hint in lowered for hint in rule.hints):
                text = pattern.sub(lambda found, rule=rule: self._led(rule, found), text)  # type: ignore[misc]
        return text

    def redact_json(self, value: object) -> object:
        """The same value with every string in it redacted; a secret-named key hides a string under it."""
        if isinstance(value, str):
            return self.redact(value)
        if isinstance(value, Mapping):
            return {
                self.redact(str(key)): self._under(str(key), item)
                if isinstance(item, str)
                else self.redact_json(item)
                for key, item in value.items()
            }
        if isinstance(value, (list, tuple)):
            return [self.redact_json(item) for item in value]
        return value

    def _under(self, key: str, value: str) -> str:
        """`{"password": "…"}` is an assignment spelled in JSON."""
        spelled = f'{key}="'
        redacted = self.redact(spelled + value)
        return redacted[len(spelled) :] if redacted.startswith(spelled) else self.redact(value)

    def mark(self, kind: str) -> str:
        """What stands for a find of that kind; it is counted."""
        self.found[kind] += 1
        return f"[redacted:{kind}]"

    def _environment(self, found: re.Match[str]) -> str:
        return self.mark("environment")

    def _shape(self, found: re.Match[str]) -> str:
        return self.mark(str(found.lastgroup).replace("_", "-"))

    def _led(self, rule: Led, found: re.Match[str]) -> str:
        if is_harmless(rule, found["lead"], found["value"]):
            return found[0]
        return found["lead"] + self.mark(rule.kind) + found["tail"]


def is_harmless(rule: Led, lead: str, value: str) -> bool:
    """Whether what follows the words is a number, a variable or an ordinary word, and no secret."""
    if rule.check is not None and not rule.check(value):
        return True
    is_password = "passw" in lead.lower()
    return rule.kind == "assignment" and not is_password and HARMLESS_VALUE.match(value) is not None


def redact(text: str) -> str:
    """The text without credentials of known shape and without the secrets of this process's environment."""
    return Redactor().redact(text)


def redact_json(value: object) -> object:
    """A JSON value without them."""
    return Redactor().redact_json(value)


def _secret_values(environ: Mapping[str, str]) -> list[str]:
    return [
        value
        for name, value in environ.items()
        if _SECRET_NAME.search(name) and len(value) >= _SHORTEST_SECRET and not value.startswith(("/", "~"))
    ]
