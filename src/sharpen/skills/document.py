"""A skill: one Markdown text, perhaps with frontmatter, perhaps with files beside it.

A Skill is immutable and named by the SHA-256 of its content. `from_text` and `read` check what comes from
outside; `with_text` trusts its caller, because the training loop makes thousands of candidates. This module
knows nothing of edits; the disk is `folder.py`'s and the YAML `frontmatter.py`'s business.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from sharpen.errors import SkillError
from sharpen.skills import folder
from sharpen.skills.frontmatter import Frontmatter, body_start, parse_frontmatter, render_frontmatter

# Each match counts as one token, after the habits of common BPE vocabularies: a short word is one token (the
# space before it is free), a long one takes one per 8 letters, numbers go by threes and punctuation by twos.
_TOKEN = re.compile(
    r"[A-Za-z]{1,8}|[0-9]{1,3}|\n+|[ \t]{2,}"
    r"|[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]"  # Chinese, Japanese, Korean: one each
    r"|[^\W\d_]{1,3}"  # letters of other scripts
    r"|[^\w\s]{1,2}|\w"
)


def tokens(text: str) -> int:
    """An estimate of how many tokens a model reads, the same on every machine, without a vocabulary."""
    return sum(1 for _ in _TOKEN.finditer(text))


def is_blank(text: str) -> bool:
    """Nothing to read: only white space, or a byte order mark."""
    return not text.strip().strip("\ufeff").strip()


@dataclass(frozen=True, repr=False)
class Skill:
    """Make one with `Skill.from_text` or `Skill.read`; the bare constructor checks nothing."""

    text: str
    files: Mapping[str, bytes] = field(default_factory=dict, hash=False)

    @classmethod
    def from_text(cls, text: str, *, files: Mapping[str, bytes] | None = None) -> Skill:
        """A skill from its Markdown; SkillError when it is empty or its frontmatter cannot be read."""
        if not isinstance(text, str):
            raise SkillError(f"a skill's text must be a string, not {type(text).__name__}")
        if is_blank(text):
            raise SkillError("the skill is empty; give it at least a title line such as '# Skill'")
        skill = cls(text, folder.checked_files(files or {}))
        _ = skill.frontmatter  # reads it now, so that later readers cannot fail
        return skill

    @classmethod
    def read(cls, path: str | Path) -> Skill:
        """A skill from a Markdown file, or from a folder with a SKILL.md and whatever lies beside it."""
        text, files = folder.read(Path(path))
        try:
            return cls.from_text(text, files=files)
        except SkillError as error:
            raise SkillError(f"{path}: {error}") from error

    def write(self, path: str | Path) -> None:
        """Write the text alone to a path ending in .md; to any other a folder with SKILL.md and the files.

        A folder is written strictly: SkillError unless the frontmatter follows the standard and carries the
        folder's name. Files already in the folder that the skill does not have are left alone.
        """
        folder.write(Path(path), self.text, self.files)

    def with_text(self, text: str) -> Skill:
        """The same files under another text. Nothing is checked: this is the loop's fast path."""
        return Skill(text, self.files)

    def with_frontmatter(self, frontmatter: Frontmatter) -> Skill:
        """The same body under freshly written frontmatter; SkillError when that breaks the standard."""
        return self.with_text(render_frontmatter(frontmatter) + "\n" + self.body.lstrip("\r\n\ufeff"))

    @cached_property
    def body_start(self) -> int:
        """The position in `text` where the body begins; what comes before is out of reach of edits."""
        return body_start(self.text)

    @property
    def body(self) -> str:
        return self.text[self.body_start :]

    @cached_property
    def frontmatter(self) -> Frontmatter | None:
        return parse_frontmatter(self.text)

    @property
    def name(self) -> str | None:
        return self.frontmatter.name if self.frontmatter else None

    @property
    def description(self) -> str | None:
        return self.frontmatter.description if self.frontmatter else None

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the text; with files, of every path, length and content, SKILL.md's among them."""
        content = self.text.encode("utf-8", "surrogatepass")
        if not self.files:
            return sha256(content).hexdigest()
        total = sha256()
        for path, data in sorted({**self.files, folder.SKILL_FILE: content}.items()):
            total.update(f"{path}\0{len(data)}\0".encode("utf-8", "surrogatepass"))
            total.update(data)
        return total.hexdigest()

    @cached_property
    def tokens(self) -> int:
        return tokens(self.text)

    def __repr__(self) -> str:
        beside = f", files={len(self.files)}" if self.files else ""
        return f"<Skill {self.digest[:12]} {self.text[:40]!r}{beside}>"
