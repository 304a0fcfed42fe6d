"""The README keeps its word: its example runs, its tree is complete, its links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])


def test_the_example_runs_and_finds_the_rules(tmp_path: Path) -> None:
    example = re.search(r"<!-- example -->\n```python\n(.*?)```", README, flags=re.DOTALL)
    assert example is not None
    done = subprocess.run(
        [sys.executable, "-c", example[1]], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert "- Quote every shell variable." in done.stdout
    assert "gain on held-out tasks: 1.000" in done.stdout


def tree() -> dict[str, str]:
    """Per room (empty for the top) the lines of the README's tree."""
    block = re.search(r"```\nsrc/sharpen/\n(.*?)```", README, flags=re.DOTALL)
    assert block is not None
    rooms, room = {"": ""}, ""
    for line in block[1].splitlines():
        if heading := re.match(r"(\w+)/", line):
            room = heading[1]
            rooms[room] = line
        else:
            room = room if line.startswith(" ") else ""
            rooms[room] += "\n" + line
    return rooms


def modules() -> set[tuple[str, str]]:
    found = (path.relative_to(ROOT / "src" / "sharpen") for path in (ROOT / "src" / "sharpen").rglob("*.py"))
    return {(str(path.parent) if path.parent.name else "", path.name) for path in found}


def test_every_module_is_in_the_tree_and_nothing_else() -> None:
    wanted = {(room, name) for room, name in modules() if not (room and name == "__init__.py")}
    listed = {(room, name) for room, text in tree().items() for name in re.findall(r"\b\w+\.py\b", text)}
    assert listed == wanted


def test_every_room_says_what_it_is_for() -> None:
    for room, text in tree().items():
        assert not room or len(text.splitlines()[0].split()) > 2


def test_it_is_short() -> None:
    assert len(README.splitlines()) < 150


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert target.startswith("https://") or (page.parent / target).exists(), target
