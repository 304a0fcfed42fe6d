"""Writes docs/tree.md: every module of the package with the first line of its docstring.

python tools/tree.py docs/tree.md           write the page
python tools/tree.py --check docs/tree.md   end with an error if it is not what the modules say
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1] / "src" / "sharpen"
HEAD = """# The tree

Every module with what it says of itself. Imports point downward only: a room comes after those that stand
on it. Made by `make docs` from the first lines of the docstrings.
"""
ROOMS = (
    *(
        "cli",
        "install",
        "report",
        "train",
        "evaluate",
        "agents",
        "simulate",
        "tasks",
        "models",
        "traces",
        "sandbox",
        "clients",
    ),
    *("store", "stats", "skills", "hook"),
)


def first_line(path: Path) -> str:
    said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    if not said:
        sys.exit(f"{path} has no docstring")
    return said.splitlines()[0]


def page() -> str:
    lines = [HEAD]
    known = {path.name for path in ROOT.iterdir() if (path / "__init__.py").is_file()}
    if known != set(ROOMS):
        sys.exit(f"rooms on one side only: {', '.join(sorted(known ^ set(ROOMS)))}; name them here")
    for room in ROOMS:
        lines += ["", f"## {room}/", "", first_line(ROOT / room / "__init__.py"), ""]
        lines += _modules(ROOT / room)
    lines += ["", "## At the top", "", *_modules(ROOT, deep=False), ""]
    return "\n".join(lines)


def _modules(folder: Path, *, deep: bool = True) -> list[str]:
    found = sorted(folder.rglob("*.py") if deep else folder.glob("*.py"))
    inner = [path for path in found if path != folder / "__init__.py" or not deep]
    return [f"- `{_name(path, folder)}`: {first_line(path)}" for path in inner]


def _name(path: Path, folder: Path) -> str:
    within = path.relative_to(folder)
    return f"{within.parent}/" if path.name == "__init__.py" and within.parent.name else str(within)


def main() -> None:
    target = Path(sys.argv[-1])
    if "--check" not in sys.argv:
        target.write_text(page(), encoding="utf-8")
    elif not target.is_file() or target.read_text(encoding="utf-8") != page():
        sys.exit(f"{target} is not what the modules say; run `make docs`")


if __name__ == "__main__":
    main()
