"""The tables of docs/configuration.md, made from the sections themselves.

    python -m sharpen.cli.config.page docs/configuration.md            write them
    python -m sharpen.cli.config.page --check docs/configuration.md    exit 1 when they are not up to date

What stands outside of the two comment lines is written by hand.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import NoneType, UnionType
from typing import Literal, Union, get_args, get_origin

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from sharpen.cli.config.names import flat_names
from sharpen.cli.config.presets import PRESETS
from sharpen.cli.config.record import SECTION_TYPES, SECTIONS, Config
from sharpen.cli.config.writing import scalar

START, END = "<!-- keys -->", "<!-- /keys -->"
_BETWEEN = re.compile(f"{START}\n.*?{END}", re.DOTALL)


def tables() -> str:
    """One table per section."""
    return "\n".join(line for section in SECTIONS for line in _table(section))


def _table(section: str) -> Iterator[str]:
    flat = {dotted: name for name, dotted in flat_names().items()}
    yield f"### {section}\n\n{Config.model_fields[section].description}\n"
    yield "| key | flat name | default | paper | what it says |\n|---|---|---|---|---|"
    for key, info in SECTION_TYPES[section].model_fields.items():
        dotted = f"{section}.{key}"
        paper = PRESETS["paper"].get(dotted)
        cells = (
            f"`{key}`",
            "" if flat.get(dotted, key) == key else f"`{flat[dotted]}`",
            f"`{_default(info)}`",
            "" if paper is None else f"`{scalar(paper)}`",
            f"{info.description}{_choices(info.annotation)}",
        )
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
    yield ""


def _default(info: FieldInfo) -> str:
    value = info.get_default(call_default_factory=True)
    return '""' if isinstance(value, SecretStr) else scalar(value)


def _choices(annotation: object) -> str:
    """The words a key can have."""
    if get_origin(annotation) in (Union, UnionType):
        rest = [one for one in get_args(annotation) if one is not NoneType]
        return _choices(rest[0]) if len(rest) == 1 else ""
    words = (
        [f"`{word}`" for word in get_args(annotation) if word] if get_origin(annotation) is Literal else []
    )
    return f" One of {', '.join(words)}." if words else ""


def filled(text: str) -> str:
    """The page with its tables made anew."""
    return _BETWEEN.sub(lambda _: f"{START}\n{tables()}\n{END}", text)


def main() -> None:
    """Write the tables, or with `--check` compare them."""
    checking, target = "--check" in sys.argv, Path(sys.argv[-1])
    text = target.read_text(encoding="utf-8")
    if not checking:
        target.write_text(filled(text), encoding="utf-8")
    elif filled(text) != text:
        sys.exit(f"{target} is not what the program says; run python -m sharpen.cli.config.page {target}")


if __name__ == "__main__":
    main()
