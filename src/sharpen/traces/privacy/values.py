"""Is this value a secret, or a placeholder, a word, a number, a piece of code?

Judged by the value alone; whoever asks knows what stood before it. A secret is a string that nobody would
say: digits among letters, case that changes without sense. A placeholder is a string that everybody writes.
"""

from __future__ import annotations

import base64
import binascii
import re

_PLACEHOLDER = re.compile(
    r"\A(?:<.*|[*.•]{3,}.*|[$@#]\{.*|\$[A-Za-z_(].*|%\w+%|%\(.*|\{\{.*|\{[\w.]*\}.*|\[.*"
    r"|\((?:sensitive|known|hidden|none|null|empty).*"
    r"|(?:none|null|true|false|undefined|nil|yes|no)\W*"
    r"|an?[_ -][a-z]+(?:[_ -].*)?"
    r"|(?:your|my|some|the|insert|enter|add|put|replace|change|fill)[_ -].*|.*[_-]here\W*"
    r"|(?:change_?me|changeit|replace_?me|placeholder|redacted|dummy|example|todo|fixme|secret|passw(?:or)?d|pass"
    r"|token|string|required|optional|sensitive|hidden|masked|unset|empty|missing|default|value|test|fake|mock)\W*"
    r"|(?:vault|op|env|ref\+\w+|secret|file|arn|projects|ssm):.*|[a-z][a-z+]*://.*)\Z",
    re.IGNORECASE | re.DOTALL,
)
_SHOUTED = re.compile(r"\A[A-Z]+(?:_[A-Z]+)+\Z")
_FILLED = re.compile(r"[xX]{5,}|\*{3,}|\.{3}|\xe2\x80\xa6|EXAMPLE(?:KEY|TOKEN)?\Z|[_-](?:your|YOUR)[_-]")
_NUMBER = re.compile(r"\A[-+]?[0-9.,_]{1,15}[a-zA-Z]{0,2}\Z")
_PATH = re.compile(r"\A(?:~|\.{1,2}|[A-Za-z]:)?[/\\].*|\A[\w.-]+(?:/[\w.-]+)*\.[a-z]{1,5}\Z")
_CALL = re.compile(r"\A[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)*!?[(\[{<].*\Z", re.DOTALL)
_CHAIN = re.compile(r"\A[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)*[?!;,)\]]*\Z")
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_CASE_CHANGES = re.compile(r"[a-z](?=[A-Z])|[A-Z](?=[a-z])")
_UUID = re.compile(r"\A[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")
_HARD_TO_SAY = re.compile(r"[bcdfghjklmnpqrstvwxz]{4}", re.IGNORECASE)
_LOOKED_AT = 120
"""Characters of a value that are judged; a longer one is no other thing than its beginning."""
_LONG_NAME = 20
_LONG_KEY = 32
_MANY_NUMBERS = 4
_WORD_LENGTH = 3.5
"""Letters in a run, on average, from which on runs of letters are words: dice make about two."""


def is_filler(value: str) -> bool:
    """What documents and tests write where a key would stand."""
    return _FILLED.search(value[:_LOOKED_AT]) is not None


def is_placeholder(value: str) -> bool:
    value = value[:_LOOKED_AT]
    is_known = _PLACEHOLDER.match(value) or _SHOUTED.match(value)
    return bool(is_known) or is_filler(value) or len(set(value)) <= 2


def is_code(value: str) -> bool:
    """A call, an attribute, a name: where a program keeps a secret, and not the secret."""
    value = value[:_LOOKED_AT]
    if _CALL.match(value):
        return True
    return _CHAIN.match(value) is not None and is_wordy(value)


def is_wordy(value: str) -> bool:
    """Words, perhaps joined by signs or case, perhaps with a number behind them."""
    parts = _PARTS.findall(value[:_LOOKED_AT])
    words = [part for part in parts if part.isalpha()]
    letters = sum(map(len, words))
    digits = sum(map(len, parts)) - letters
    hard = sum(_HARD_TO_SAY.search(word) is not None for word in words)
    usual = _WORD_LENGTH if len(value) < _LONG_NAME else _WORD_LENGTH + 1
    return (
        bool(words)
        and digits * 4 <= letters
        and letters >= usual * len(words)
        and hard * 3 < len(words) + 1
        and sum(len(word) == 1 for word in words) < 2
        and not (value.isalnum() and len(value) >= _LONG_KEY and len(parts) - len(words) >= _MANY_NUMBERS)
    )


def is_random(value: str) -> bool:
    """Long, of the characters that keys have, and neither words nor a number nor a UUID."""
    value = value[:_LOOKED_AT]
    if len(value) < 16 or not re.fullmatch(r"[A-Za-z0-9+/=_.~:-]+", value) or _UUID.match(value):
        return False
    has_both = any(sign.isdigit() for sign in value) and any(sign.isalpha() for sign in value)
    return has_both and not is_wordy(value) and not _PATH.match(value)


def is_secret(value: str) -> bool:
    """Good enough to be one, when its name says so."""
    value = value[:_LOOKED_AT]
    if len(value) < 8 or _NUMBER.match(value) or is_wordy(value):
        return False
    if _PATH.match(value) and len(_CASE_CHANGES.findall(value)) < 4:
        return False
    return any(sign.isdigit() for sign in value) or len(_CASE_CHANGES.findall(value)) >= 4


def is_password(value: str) -> bool:
    """Anything that is not plainly a word or a path: people think them up."""
    value = value[:_LOOKED_AT]
    if _PATH.match(value) and is_wordy(value):
        return False
    has_sign = re.search(r"[0-9!#$%^*+=@~?&]", value) is not None
    return has_sign or (len(_CASE_CHANGES.findall(value)) >= 3 and not is_wordy(value))


def is_base64_pair(value: str) -> bool:
    """`user:password` in base64, as registries keep it."""
    try:
        plain = base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    return b":" in plain and plain.isascii() and plain.decode("ascii").isprintable()
