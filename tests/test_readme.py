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
    """Per room, or module at the top, what the README's tree says of it."""
    block = re.search(r"```\nsrc/sharpen/\n(.*?)```", README, flags=re.DOTALL)
    assert block is not None
    listed, room = {}, ""
    for line in block[1].splitlines():
        name, words = line.split(maxsplit=1)
        room = room if line.startswith(" ") else name
        listed[room + name if line.startswith(" ") else name] = words
    return listed


def test_every_room_is_in_the_tree_and_nothing_else() -> None:
    home = ROOT / "src" / "sharpen"
    rooms = {f"{path.parent.relative_to(home)}/" for path in home.rglob("__init__.py") if path.parent != home}
    assert set(tree()) == rooms | {path.name for path in home.glob("*.py")}


def test_every_room_says_what_it_is_for() -> None:
    assert all(len(words.split()) > 2 for words in tree().values())


def test_it_is_short() -> None:
    assert len(README.splitlines()) < 150


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert target.startswith("https://") or (page.parent / target).exists(), target
