"""Settings of others: whatever they look like, what was put in comes out again, and nothing else moves."""

from __future__ import annotations

import copy
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from sharpen.clients import CLIENTS
from sharpen.install import Scope, install, uninstall
from sharpen.skills import Skill

from .settings_files import json_text, lock_text, meaning, toml_text, toml_written_anew

SEEDS = range(100 if os.environ.get("SHARPEN_TEST_FULL") else 8)
KIMI_ROWS = (
    'event = "PostToolUse"\ncommand = "sharpen lint"\ntimeout = 3',
    'event = "Stop"\ncommand = "echo"',
)
CODEX_ROWS = ('name = "other"\nenabled = false', 'path = "x"\nenabled = true')
FILES: dict[str, tuple[str, str, str, Callable[[Random], str]]] = {
    "claude-code": (".claude/settings.json", "project", "claude-code", lambda r: json_text(r, "claude-code")),
    "codex": (".codex/hooks.json", "project", "codex", lambda r: json_text(r, "codex")),
    "gemini": (".gemini/settings.json", "project", "gemini", lambda r: json_text(r, "gemini")),
    "kimi": (".kimi-code/config.toml", "user", "kimi", lambda r: toml_text(r, "hooks", KIMI_ROWS)),
    "codex profile": (
        ".codex/config.toml",
        "user",
        "codex",
        lambda r: toml_text(r, "skills.config", CODEX_ROWS),
    ),
    "lock": ("skills-lock.json", "project", "opencode", lock_text),
}
JSON_HOOKS = ("claude-code", "codex", "gemini")


def skill(name: str, *, rules: bool = True) -> Skill:
    text = f'---\nname: "{name}"\ndescription: "Use when {name} is needed."\n---\n# {name}\n'
    rule = {"id": "one", "tool": "edit", "path": ["*.py"], "say": f"A fact about {name}."}
    return Skill.from_text(
        text, files={"events.json": json.dumps({"rules": [rule]}).encode()} if rules else {}
    )


A, B, C = skill("alpha"), skill("beta"), skill("gamma", rules=False)


class Place:
    def __init__(self, root: Path, kind: str, seed: int) -> None:
        path, scope, client, text = FILES[kind]
        self.kind, self.root, self.client = kind, root, CLIENTS[client]
        self.random = Random(f"{kind}/{seed}")
        self.text = text(self.random)
        home = root / "home"
        (home / "project").mkdir(parents=True)
        self.scope = Scope.of(scope, project=home / "project", home=home)
        self.file = self.scope.root / path
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_bytes(self.text.encode())
        self.meant = meaning(path, self.text)

    def install(self, *skills: Skill) -> None:
        install(
            skills, [self.client], scope=self.scope, profile="work" if self.kind == "codex profile" else None
        )

    def uninstall(self, *names: str) -> None:
        uninstall(names, scope=self.scope)

    def read(self) -> str:
        return self.file.read_bytes().decode()

    def means(self) -> Any:
        return meaning(self.file.name, self.read()) if self.file.exists() else {}

    def tree(self, *without: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for path in sorted(self.root.rglob("*")):
            if path.name not in without:
                name = str(path.relative_to(self.root))
                found[name] = (
                    str(path.readlink())
                    if path.is_symlink()
                    else path.read_bytes()
                    if path.is_file()
                    else None
                )
        return found


@pytest.fixture(params=FILES)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def is_ours(command: Any, kind: str) -> bool:
    return str(command).endswith(f"sharpen hook {kind}{' --user' if kind == 'kimi' else ''}")


@pytest.mark.parametrize("seed", SEEDS)
def test_out_again_leaves_the_same_bytes(tmp_path: Path, kind: str, seed: int) -> None:
    place = Place(tmp_path, kind, seed)
    before = place.tree()
    place.install(A)
    added_only_ours(place)
    once = place.tree()
    place.install(A)
    assert place.tree() == once
    place.uninstall()
    assert place.read() == place.text
    assert place.tree() == before


def added_only_ours(place: Place) -> None:
    after = place.means()
    assert after != place.meant
    if place.kind in JSON_HOOKS:
        assert {**after, "hooks": 0} == {**place.meant, "hooks": 0}
        for event, groups in after["hooks"].items():
            old = place.meant.get("hooks", {}).get(event, [])
            assert groups[: len(old)] == old
            assert [is_ours(one["hooks"][0]["command"], place.kind) for one in groups[len(old) :]] in (
                [True],
                [],
            )
        added = [
            event
            for event, groups in after["hooks"].items()
            if groups != place.meant.get("hooks", {}).get(event, [])
        ]
        assert len(added) == {"claude-code": 3, "codex": 2, "gemini": 2}[place.kind]
    if place.kind == "kimi":
        old = place.meant.get("hooks", [])
        assert after["hooks"][: len(old)] == old
        assert len(after["hooks"]) == len(old) + 4
        assert {**after, "hooks": 0} == {**place.meant, "hooks": 0}


@pytest.mark.parametrize("seed", SEEDS)
def test_any_order(tmp_path: Path, kind: str, seed: int) -> None:
    place = Place(tmp_path, kind, seed)
    before = place.tree()
    place.install(B)
    only_b = place.tree("installed.json")
    place.uninstall()
    place.install(A)
    place.install(B)
    place.uninstall("alpha")
    assert place.tree("installed.json") == only_b
    place.uninstall("beta")
    assert place.tree() == before
    place.install(A, B, C)
    names = ["alpha", "beta", "gamma"]
    place.random.shuffle(names)
    for name in names:
        place.uninstall(name)
    assert place.tree() == before


@pytest.mark.parametrize("seed", SEEDS)
def test_keys_added_by_hand_stay(tmp_path: Path, kind: str, seed: int) -> None:
    place = Place(tmp_path, kind, seed)
    place.install(A)
    text = place.read()
    bom = text[:1] == "\ufeff"
    if place.file.suffix == ".toml":
        text = text[:bom] + "# by hand\nby_hand = 1\n" + text[bom:]
    else:
        start = first_brace(text) + 1
        text = text[:start] + ("// by hand\n" if kind == "gemini" else "") + '"by_hand": 1,' + text[start:]
    place.file.write_bytes(text.encode())
    place.uninstall()
    after = place.means()
    assert after.pop("by_hand") == 1
    assert after == place.meant or (kind == "lock" and not place.text)
    assert "by hand" in place.read() or kind not in ("gemini", "kimi", "codex profile")


def first_brace(text: str) -> int:
    """Where the object begins, behind comments."""
    at = 0
    while text[at] != "{":
        if text.startswith("//", at):
            at = text.index("\n", at)
        elif text.startswith("/*", at):
            at = text.index("*/", at) + 1
        at += 1
    return at


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", JSON_HOOKS)
def test_hooks_added_to_ours_stay(tmp_path: Path, kind: str, seed: int) -> None:
    """Somebody's program reorders and reformats everything and puts hooks beside ours, and into our group."""
    place = Place(tmp_path, kind, seed)
    place.install(A)
    content = place.means()
    for event, groups in content["hooks"].items():
        new = {"type": "command", "command": f"echo {event}"}
        where = place.random.randrange(4)
        if where == 0:
            groups.append({"hooks": [new]})
        elif where == 1:
            groups.insert(0, {"matcher": "X", "hooks": [new]})
        elif where == 2 and groups:
            groups[-1]["hooks"].append(new)
    order = list(content.items())
    place.random.shuffle(order)
    place.file.write_text(json.dumps(dict(order), indent=place.random.choice((None, 1, 4, "\t"))))
    place.uninstall()
    assert place.means() == without_ours(content, place)


def without_ours(content: dict[str, Any], place: Place) -> dict[str, Any]:
    wanted, old = copy.deepcopy(content), place.meant.get("hooks", {})
    for event, groups in content["hooks"].items():
        left = []
        for group in groups:
            rest = [hook for hook in group["hooks"] if not is_ours(hook["command"], place.kind)]
            if rest or not group["hooks"]:
                left.append({**group, "hooks": rest})
        wanted["hooks"][event] = left
        if not left and event not in old:
            del wanted["hooks"][event]
    if not wanted["hooks"] and "hooks" not in place.meant:
        del wanted["hooks"]
    return wanted


INLINE = {
    "kimi": lambda meant: f"hooks = {_inline(meant['hooks'])}\n",
    "codex profile": lambda meant: f"[skills]\nconfig = {_inline(meant['skills']['config'])}\n",
}


def _inline(rows: list[dict[str, Any]]) -> str:
    tables = (", ".join(f"{key} = {json.dumps(value)}" for key, value in row.items()) for row in rows)
    return f"[{', '.join(f'{{{table}}}' for table in tables)}]"


@pytest.mark.parametrize("kind", INLINE)
def test_an_inline_list_of_ours_is_left_alone_and_told(tmp_path: Path, kind: str) -> None:
    place = Place(tmp_path, kind, 0)
    place.file.write_text("")
    place.install(A)
    written = INLINE[kind](place.means())
    place.file.write_text(written)
    if kind == "kimi":
        place.install(A)  # they are there: nothing to add
        assert place.read() == written
    done = uninstall([], scope=place.scope)
    assert place.read() == written
    (note,) = done.notes
    assert re.match(r"left alone: ~/\.\S+/config\.toml still .*; take it out by hand", note)


@pytest.mark.parametrize("seed", SEEDS)
def test_written_anew_by_a_program(tmp_path: Path, kind: str, seed: int) -> None:
    """Comments and order are gone; ours is found by what it says."""
    place = Place(tmp_path, kind, seed)
    place.install(A)
    order = list(place.means().items())
    place.random.shuffle(order)
    content = dict(order)
    text = toml_written_anew(content) if place.file.suffix == ".toml" else json.dumps(content, indent=3)
    assert meaning(place.file.name, text) == content
    place.file.write_text(text)
    place.uninstall()
    after = place.means()
    if kind == "codex profile" and after.get("skills") == {}:
        del after["skills"]  # a header that the program wrote
    assert after == place.meant or (kind == "lock" and not place.text)
