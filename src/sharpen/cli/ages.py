"""How people say how long ago: `30d`, `12h`, `2w`, or a date."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from sharpen.errors import UsageError

_AGE = re.compile(r"(\d{1,5}) ?(h|d|w|m|y)")
_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "m": 30 * 24, "y": 365 * 24}


def age(text: str, *, option: str) -> timedelta:
    """A length of time."""
    found = _AGE.fullmatch(text.strip().lower())
    if found is None:
        raise UsageError(f"{option} {text}: say how long, such as 12h, 30d, 6w, 3m (months) or 1y")
    return timedelta(hours=int(found[1]) * _HOURS[found[2]])


def moment(text: str, *, option: str) -> datetime:
    """A moment in the past: so long ago, or a date."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return datetime.now(UTC) - age(text, option=option)
    return found if found.tzinfo else found.astimezone()
