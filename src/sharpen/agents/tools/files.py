"""The file tools: look at a file, replace text in it, search the folder. Run inside the sandbox only.

Read as source by `toolbox.py` and run by the sandbox's Python with one JSON object on standard input, so that
no path the model names is ever opened by our own process. Standard library only; knows nothing of sharpen.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

LINES = 200
MATCHES = 100


def view(path: str, first: int = 1, last: int = 0) -> str:
    place = Path(path)
    if place.is_dir():
        return "\n".join(sorted(one.name for one in place.iterdir())) or "(empty folder)"
    lines = place.read_text(encoding="utf-8", errors="replace").splitlines()
    last = last or min(len(lines), first + LINES - 1)
    numbers = range(max(1, first), min(last, len(lines)) + 1)
    rest = f"\n({len(lines)} lines in all)" if last < len(lines) else ""
    return "\n".join(f"{number:6d}  {lines[number - 1]}" for number in numbers) + rest or "(empty file)"


def edit(path: str, old: str, new: str) -> str:
    place = Path(path)
    if not old:
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("x", encoding="utf-8") as file:
            file.write(new)
        return f"made {path}"
    text = place.read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise ValueError(f"the old text occurs {text.count(old)} times in {path}; it must occur exactly once")
    place.write_text(text.replace(old, new), encoding="utf-8")
    return f"changed {path}"


def search(pattern: str, path: str = ".") -> str:
    wanted = re.compile(pattern)
    found: list[str] = []
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            found += _matches(wanted, Path(folder, name))
            if len(found) >= MATCHES:
                return "\n".join([*found[:MATCHES], "(more matches are not shown)"])
    return "\n".join(found) or "(no match)"


def _matches(wanted: re.Pattern[str], path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    return [f"{path}:{number}: {line}" for number, line in enumerate(lines, 1) if wanted.search(line)]


def main() -> int:
    asked = json.load(sys.stdin)
    tools: dict[str, Callable[..., str]] = {"view": view, "edit": edit, "search": search}
    try:
        said, code = tools[asked["tool"]](**asked["arguments"]), 0
    except Exception as error:  # noqa: BLE001 - the model is told, whatever it was
        said, code = f"{type(error).__name__}: {error}", 1
    sys.stdout.write(said + "\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
