"""How people say how long ago: `30d`, `12h`, `2w`, or a date."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from sharpen.errors import UsageError

_AGE = re.compile(r"(\d{1,5}) ?(h|d|w|m|y)")
LONGEST = timedelta(days=100 * 365)
_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "m": 30 * 24, "y": 365 * 24}


def age(text: str, *, option: str, or_else: str = "") -> timedelta:
    """A length of time; `or_else` says what else may be typed there."""
    found = _AGE.fullmatch(text.strip().lower())
    if found is None:
        raise UsageError(f"{option} {text}: say how long, such as 12h, 30d, 6w, 3m (months) or 1y{or_else}")
    length = timedelta(hours=int(found[1]) * _HOURS[found[2]])
    if length > LONGEST:
        raise UsageError(f"{option} {text}: that is before there were sessions; 100y is the most")
    return length


def days(text: str, *, option: str) -> int:
    """A length of time in whole days, one at least."""
    length = age(text, option=option)
    if length < timedelta(days=1):
        raise UsageError(f"{option} {text}: a day is the least, 1d")
    return length.days


def moment(text: str, *, option: str) -> datetime:
    """A moment in the past: so long ago, or a date."""
    try:
        found = datetime.fromisoformat(text)
        return found if found.tzinfo else found.astimezone()
    except (ValueError, OverflowError, OSError):
        return datetime.now(UTC) - age(text, option=option, or_else="; or since when, such as 2026-01-31")
