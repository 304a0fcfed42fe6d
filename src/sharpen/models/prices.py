"""What tokens cost: a dated table as data, which a user can replace or extend by a file.

Prices are US dollars per million tokens. A model that is in no table has no price: its money is unknown,
which is `None` everywhere and never zero. A model is found by its plain name, or with a date behind it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from sharpen.errors import SettingsError
from sharpen.types import Usage

PRICES_VARIABLE = "SHARPEN_PRICES"

_SNAPSHOT = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8}|latest)$")
_MILLION = 1_000_000


@dataclass(frozen=True)
class Tokens:
    """What a server counted. `cached` and `written` are parts of `input`: read from and put into a cache."""

    input: int = 0
    output: int = 0
    cached: int = 0
    written: int = 0


@dataclass(frozen=True)
class Price:
    """Dollars per million tokens; `cached` is `input` if not given. Above `long_from` input, `long`."""

    input: float
    output: float
    cached: float | None = None
    long_from: int | None = None
    long: Price | None = None

    def __post_init__(self) -> None:
        for value in (self.input, self.output, self.cached):
            if value is not None and (isinstance(value, bool) or not math.isfinite(value) or value < 0):
                raise SettingsError(f"a price must be a number of dollars from 0 up, not {value!r}")

    def usd(self, tokens: Tokens) -> float | None:
        """Writing to a cache costs extra and at rates not in the table: then the money is unknown."""
        if tokens.written:
            return None
        if self.long is not None and self.long_from is not None and tokens.input > self.long_from:
            return self.long.usd(tokens)
        cached = self.input if self.cached is None else self.cached
        fresh = tokens.input - tokens.cached
        return (fresh * self.input + tokens.cached * cached + tokens.output * self.output) / _MILLION

    def at_most(self, tokens: Tokens) -> float:
        """The dearest this many tokens can be: nothing cached, the higher of both tariffs."""
        cost = (tokens.input * self.input + tokens.output * self.output) / _MILLION
        return max(cost, self.long.at_most(tokens)) if self.long is not None else cost


FREE = Price(0.0, 0.0)


def usage_of(tokens: Tokens, price: Price | None, model: str = "") -> Usage:
    """What one answered call used, with its money where the price is known."""
    usd = None if price is None else price.usd(tokens)
    return Usage(tokens.input, tokens.output, 1, usd, model)


def price_of(
    provider: str, model: str, *, file: str | Path | None = None, shipped: bool = True
) -> Price | None:
    """The price of a model, from the user's file first, then from the shipped table."""
    tables = [] if file is None else [_read_file(Path(file))]
    if shipped:
        tables.append(_table(json.loads(_shipped()), "the shipped price table"))
    for table in tables:
        listed = table.get(provider, {})
        found = listed.get(model) or listed.get(_SNAPSHOT.sub("", model))
        if found is not None:
            return found
    return None


def _shipped() -> str:
    return resources.files("sharpen.models").joinpath("prices.json").read_text("utf-8")


def _read_file(path: Path) -> Mapping[str, Mapping[str, Price]]:
    try:
        return _table(json.loads(path.read_text("utf-8")), f"the price file {path}")
    except OSError as error:
        raise SettingsError(f"the price file {path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise SettingsError(f"the price file {path} is not JSON: {error}") from None


def _table(value: object, where: str) -> Mapping[str, Mapping[str, Price]]:
    providers = value.get("providers") if isinstance(value, dict) else None
    if not isinstance(providers, dict):
        raise SettingsError(f'{where} needs the shape {{"providers": {{NAME: {{"models": {{…}}}}}}}}')
    return {
        name: {model: _price(entry, f"{where}, {name}:{model}") for model, entry in listed["models"].items()}
        for name, listed in providers.items()
        if isinstance(listed, dict) and isinstance(listed.get("models"), dict)
    }


def _price(entry: object, where: str) -> Price:
    known = {"input", "output", "cached", "long_from", "long"}
    if not isinstance(entry, dict) or not {"input", "output"} <= set(entry) <= known:
        raise SettingsError(
            f"{where} needs 'input' and 'output', and may have 'cached', 'long_from' and 'long'"
        )
    long = entry.get("long")
    return Price(
        entry["input"],
        entry["output"],
        entry.get("cached"),
        entry.get("long_from"),
        None if long is None else _price(long, where),
    )
