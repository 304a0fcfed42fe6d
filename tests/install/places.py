"""A home, a project and skills for it."""

from __future__ import annotations

import json
from pathlib import Path

from sharpen.clients import CLIENTS, Client
from sharpen.install import Scope
from sharpen.skills import Skill

RULE = {"id": "boom", "tool": "shell", "output": "boom", "say": "It is over when the file is signed."}


def skill(
    name: str = "house-rules", *, rules: bool = True, body: str = "Sign every file.", **more: bytes
) -> Skill:
    """A skill with a rule, a file and the given body."""
    files = {"references/more.md": b"# More\n", **more}
    if rules:
        files["events.json"] = json.dumps({"rules": [RULE]}).encode()
    head = f'---\nname: "{name}"\ndescription: "How files are signed; use when writing files."\n---\n\n'
    return Skill.from_text(f"{head}# House rules\n\n{body}\n", files=files)


def clients(*names: str) -> list[Client]:
    return [CLIENTS[name] for name in names]


def project_scope(root: Path) -> Scope:
    (root / "home" / "project").mkdir(parents=True, exist_ok=True)
    return Scope.of("project", project=root / "home" / "project", home=root / "home")


def user_scope(root: Path) -> Scope:
    (root / "home").mkdir(parents=True, exist_ok=True)
    return Scope.of("user", home=root / "home")


def tree(folder: Path) -> dict[str, bytes | str]:
    """Every file, link and folder below, with its content."""
    found: dict[str, bytes | str] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = f"link to {path.readlink()}"
        else:
            found[name] = path.read_bytes() if path.is_file() else "folder"
    return found
