"""A secret in a text, spelled the way the text spells it."""

from __future__ import annotations

import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Planted:
    kind: str
    text: str
    secret: str


def plant(kind: str, text: str, secret: str) -> Planted:
    """The secret as it stands in the text: as it is, in JSON, in JSON inside JSON, or without its quotes."""
    once = json.dumps(secret)[1:-1]
    spelled = (secret, once, json.dumps(once)[1:-1], secret.replace("'", ""))
    return Planted(kind, text, next(form for form in spelled if form in text))
