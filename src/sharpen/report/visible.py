"""Making strange characters visible: what a model wrote must not steer a terminal or reorder a page.

Control characters, direction overrides and half surrogate pairs are replaced; everything that is text stays,
line breaks and tabs too.
"""

from __future__ import annotations

import re

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_PICTURES = 0x2400  # the control pictures: ESC (0x1b) becomes ␛
_REPLACEMENT = "\ufffd"


def visible(text: str) -> str:
    """The same text with every character that acts instead of showing replaced by one that shows."""
    return _CONTROLS.sub(_picture, text)


def _picture(found: re.Match[str]) -> str:
    code = ord(found[0])
    return chr(_PICTURES + code) if code < 0x20 else _REPLACEMENT
