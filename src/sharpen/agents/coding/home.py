"""The folders of one attempt: a home and a work folder made for it and thrown away after it.

The skill goes into the home folder, where the client looks for the user's skills: the work folder is the
same with and without it. The temporary folder lies beside the home, not above it, because Codex trusts no
home below one. Instructions in a folder above would be in every request, so unless a sandbox hides them,
attempts are not made below one.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sharpen.clients import Client
from sharpen.errors import SettingsError, SkillError
from sharpen.skills import Frontmatter, Skill

_NOT_IN_A_NAME = re.compile(r"[^a-z0-9]+")
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
DEFAULT_NAME = "project-skill"
READ_FROM_ABOVE = (
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    ".agents",
    ".claude",
    ".codex",
    ".cursor",
    ".gemini",
    ".git",
    ".github",
    ".kimi-code",
    ".opencode",
    "opencode.json",
    "opencode.jsonc",
)
"""What clients look for in the folders above the one they work in."""


@dataclass(frozen=True)
class Folders:
    """Where an attempt takes place."""

    root: Path
    home: Path
    work: Path
    temporary: Path


@contextmanager
def folders() -> Iterator[Folders]:
    """Fresh folders that are removed at the end, whatever the agent left in them."""
    root = Path(tempfile.mkdtemp(prefix="sharpen-agent-")).resolve()
    made = Folders(root, root / "home", root / "work", root / "tmp")
    try:
        for folder in (made.home, made.work, made.temporary):
            folder.mkdir(mode=0o700)
        yield made
    finally:
        shutil.rmtree(root, ignore_errors=True)


def check_above(client: Client) -> None:
    """SettingsError when the folders above the attempts hold what the client would read into both arms."""
    above = Path(tempfile.gettempdir()).resolve()
    found = [folder / name for folder in (above, *above.parents) for name in READ_FROM_ABOVE]
    for path in found:
        if path.exists():
            raise SettingsError(
                f"attempts are made below {above}, and {client.title} would read {path} in each of them; "
                "set TMPDIR to a folder with nothing of that kind above it"
            )


def says_something(skill: Skill) -> bool:
    """Whether there is anything to follow: titles, comments and white space alone are no skill."""
    lines = _COMMENT.sub("", skill.body).splitlines()
    return any(line.strip() and not line.lstrip().startswith("#") for line in lines)


def install_skill(skill: Skill, client: Client, home: Path) -> str:
    """Write the skill where the client loads the user's skills from; the name it goes by."""
    dressed = as_client_skill(skill)
    name = dressed.name or DEFAULT_NAME
    dressed.write(home / client.skills.user[0] / name)
    return name


def as_client_skill(skill: Skill) -> Skill:
    """The skill as clients read it: with the standard's name and description; unchanged where it has both."""
    front = skill.frontmatter or Frontmatter()
    if front.name and _NAME.fullmatch(front.name) and front.description and not front.extra:
        return skill
    title = _title(skill)
    name = _NOT_IN_A_NAME.sub("-", (front.name or title or DEFAULT_NAME).lower()).strip("-")[:64].strip("-")
    described = front.description or (
        f"{title or 'Project skill'}: how tasks are done in this project. Read it before starting any task."
    )
    fresh = Frontmatter(
        name=name or DEFAULT_NAME,
        description=described.replace("<", "(").replace(">", ")")[:1024],
        license=front.license,
        compatibility=front.compatibility,
        metadata=front.metadata,
        allowed_tools=front.allowed_tools,
    )
    try:
        return skill.with_frontmatter(fresh)
    except SkillError as error:
        raise SkillError(f"the skill cannot be given to a coding agent: {error}") from error


def _title(skill: Skill) -> str:
    found = _HEADING.search(skill.body)
    return found[1].strip() if found else ""


def write_files(files: Mapping[str, str], home: Path) -> None:
    """The client's configuration, readable by its user only."""
    for name, text in files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o600)
