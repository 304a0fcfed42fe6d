"""What becomes of the files beside SKILL.md: pages in a chat's prompt, a folder where commands can run.

A skill without files is given exactly as it is written. Scripts are laid out for the sandbox only; nothing
here runs one. Coding agents get the whole folder from `coding/home.py`, where they look for skills.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from sharpen.skills import Skill
from sharpen.skills.folder import checked_files
from sharpen.skills.package import as_text

FOLDER = ".skill"
"""The files' place in an attempt's work folder: hidden, so that a list of the task's files stays the same."""


def with_references(skill: Skill) -> str:
    """SKILL.md and below it every references/*.md under its name, for a reader who cannot open files."""
    pages = [skill.text]
    for path, data in sorted(skill.files.items()):
        text = as_text(data) if path.startswith("references/") and path.endswith(".md") else None
        if text is not None:
            pages.append(f"## {path}\n\n{text}")
    return skill.text if len(pages) == 1 else "\n\n".join(page.rstrip("\n") for page in pages) + "\n"


def with_places(skill: Skill) -> str:
    """SKILL.md and below it where its files lie, for a reader with a shell."""
    if not skill.files:
        return skill.text
    places = "\n".join(f"- {FOLDER}/{path}" for path in sorted(skill.files))
    return f"{skill.text.rstrip()}\n\nThe files that belong to these instructions:\n{places}\n"


def lay_out_files(skill: Skill, work: Path) -> None:
    """Write the files into the work folder; a script that names its interpreter may be executed."""
    for name, data in checked_files(skill.files).items():
        path = work / FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        if data.startswith(b"#!"):
            path.chmod(0o755)


def clear_files(skill: Skill, work: Path) -> None:
    """Take them away again before the work is judged."""
    if skill.files:
        shutil.rmtree(work / FOLDER, ignore_errors=True)
