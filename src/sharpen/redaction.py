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
from collections.abc import Iterable, Mapping
from typing import Final

_SHORTEST_SECRET: Final = 8  # characters; shorter values would take ordinary words out of texts
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL", re.IGNORECASE)
_MARK = re.compile(r"\[redacted:[a-z-]+\]")

# Most specific first: the first pattern that matches at a place names what was found there.
_SHAPES: Final = (
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
# What follows these words is secret whatever it looks like; the words themselves stay.
_VALUE = r"""[^\s"'`,;&<>\\\[\]{}]"""
_NAMED = r"(?:(?:api|access|secret|private|auth|account|client|signing)[_-]?key|token|secret|passw(?:or)?d)"
_SOME_SIGN = r"(?=\S{0,80}?[0-9+/=_!@#$%^*-])"  # bounded, so that no text takes quadratic time
# Kind, words of which one must occur (in lower case) for the pattern to be tried, what leads, what is secret.
_LED: Final = (
    (
        "header",
        ("bearer", "basic"),
        r"\b(?:bearer|basic)[ \t]+",
        r"(?=\S{0,80}?[A-Z0-9=+/_.-])[\w.~+/=-]{12,}",
    ),
    (
        "header",
        ("api-key", "authorization"),
        r"""(?:api-key|authorization)["']?[ \t]*[:=][ \t]*["']?""",
        _VALUE + r"{8,}",
    ),
    ("url-password", ("://",), r"://", r"[^\s/@:\[\]\"']*:[^\s/@\[\]\"']+(?=@)"),
    (
        "query",
        ("?", "&"),
        r"[?&][a-z0-9_-]{0,40}(?:key|token|secret|password|signature|sig)=",
        r"[^\s&#\"'<>\[\]]{4,}",
    ),
    (
        "assignment",
        ("key=", "token=", "secret=", "password=", "passwd="),
        r"(?-i:(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)=)",
        _VALUE + r"{6,}",
    ),
    (
        "assignment",
        ("key", "token", "secret", "passw"),
        _NAMED + r"""["']?[ \t]*[=:][ \t]*["']?""",
        _SOME_SIGN + _VALUE + r"{8,}",
    ),
)

_SHAPE = re.compile(
    "|".join(f"(?P<{name.replace('-', '_')}>{pattern})" for name, pattern in _SHAPES), re.DOTALL
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
    (kind, hints, re.compile(f"(?P<lead>{lead})(?P<value>{value})", re.IGNORECASE))
    for kind, hints, lead, value in _LED
)
# Most texts hold nothing that any rule could begin at: one search tells.
_ANY_HINT = re.compile(
    "|".join(
        sorted({re.escape(hint.lower()) for hint in (*_SHAPE_HINTS, *(h for _, hs, _ in _LEADS for h in hs))})
    )
)
# A number, or a reference to a variable.
_HARMLESS_VALUE = re.compile(r"\A(?:[0-9.]{1,15}|\$\(?\w+\)?)\Z")


class Redactor:
    """Takes secrets out; `found` counts what was taken, by kind."""

    def __init__(
        self, extra_secrets: Iterable[str] = (), *, environ: Mapping[str, str] | None = None
    ) -> None:
        self.found: Counter[str] = Counter()
        values = {*_secret_values(os.environ if environ is None else environ), *extra_secrets}
        usable = sorted((v for v in values if len(v) >= _SHORTEST_SECRET), key=len, reverse=True)
        usable = [value for value in usable if not _MARK.search(value)]
        self._known = re.compile("|".join(map(re.escape, usable))) if usable else None

    def redact(self, text: str) -> str:
        """The text without its secrets."""
        if self._known is not None:
            text = self._known.sub(self._environment, text)
        if _ANY_HINT.search(text.lower()) is None:
            return text
        if any(hint in text for hint in _SHAPE_HINTS):
            text = _SHAPE.sub(self._shape, text)
        lowered = text.lower()
        for kind, hints, pattern in _LEADS:
            if not any(hint in lowered for hint in hints):
                continue
            text = pattern.sub(lambda found, kind=kind: self._led(kind, found), text)  # type: ignore[misc]
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

    def _mark(self, kind: str) -> str:
        self.found[kind] += 1
        return f"[redacted:{kind}]"

    def _environment(self, found: re.Match[str]) -> str:
        return self._mark("environment")

    def _shape(self, found: re.Match[str]) -> str:
        return self._mark(str(found.lastgroup).replace("_", "-"))

    def _led(self, kind: str, found: re.Match[str]) -> str:
        value = found["value"]
        if kind == "assignment" and "passw" not in found["lead"].lower() and _HARMLESS_VALUE.match(value):
            return found[0]
        return found["lead"] + self._mark(kind)


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
