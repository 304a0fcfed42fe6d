"""Skills on disk: a Markdown file, or a folder with SKILL.md and files beside it.

Reading follows no symbolic link out of the folder and stops at sizes no skill needs; writing is atomic per
file and, for folders, strict about the Agent Skills standard. It handles texts and bytes, not Skill objects.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from sharpen.errors import SkillError
from sharpen.skills.frontmatter import block_of, parse_frontmatter, violations

SKILL_FILE, RULES_FILE = "SKILL.md", "events.json"
SKIPPED = frozenset({".git", "__pycache__"})
MAX_FILES = 1000  # the limits of the Agent Skills discovery index for archives
MAX_BYTES = 50_000_000


def read(path: Path) -> tuple[str, dict[str, bytes]]:
    """The text and the other files of the skill at `path`."""
    try:
        if path.is_dir():
            return _read_folder(path)
        if path.is_file():
            return _decode(_read_bytes(path), path), {}
        exists = path.exists()
    except (OSError, ValueError, RuntimeError) as error:  # a NUL in the path; a loop of symbolic links
        raise SkillError(f"{path}: the skill cannot be read ({error})") from error
    problem = "is neither a file nor a folder" if exists else "does not exist"
    raise SkillError(f"{path} {problem}; give a Markdown file or a folder that holds {SKILL_FILE}")


def _read_folder(path: Path) -> tuple[str, dict[str, bytes]]:
    root = path.resolve()
    if not (root / SKILL_FILE).is_file():
        raise SkillError(f"{path} holds no {SKILL_FILE}; add one, or give the path of a Markdown file")
    files: dict[str, bytes] = {}
    size = 0
    for name, found in _walk(root, root, (root,)):
        files[name] = _read_bytes(found)
        size += len(files[name])
        if len(files) > MAX_FILES or size > MAX_BYTES:
            raise SkillError(
                f"{path} holds more than {MAX_FILES} files or {MAX_BYTES // 1_000_000} MB; "
                "a skill folder carries only what the skill needs, move the rest out"
            )
    return _decode(files.pop(SKILL_FILE), path / SKILL_FILE), files


def _walk(here: Path, root: Path, above: tuple[Path, ...]) -> Iterator[tuple[str, Path]]:
    """Every file under `here` with its relative name; `above` are the real folders on the way down."""
    for found in sorted(here.iterdir()):
        if found.name in SKIPPED:
            continue
        real = found.resolve()
        if found.is_symlink() and not real.is_relative_to(root):
            raise SkillError(f"{found} is a symbolic link out of the skill's folder; copy the file in")
        if real.is_dir():
            if real in above:
                raise SkillError(f"{found} is a symbolic link to a folder that holds it; remove it")
            for name, inner in _walk(real, root, (*above, real)):
                yield f"{found.name}/{name}", inner
        elif real.is_file():
            yield found.name, real
        else:
            raise SkillError(f"{found} is not a regular file; remove it from the skill's folder")


def _read_bytes(path: Path) -> bytes:
    size = path.stat().st_size
    if size > MAX_BYTES:
        raise SkillError(f"{path} has {size} bytes; a skill's file may have {MAX_BYTES}")
    return path.read_bytes()


def _decode(data: bytes, path: Path) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SkillError(f"{path} is not UTF-8 (byte {error.start}); save it as UTF-8") from error


def checked_files(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """A copy, once every path is known to stay inside the folder and every value to be bytes."""
    for path, data in files.items():
        pure = PurePosixPath(path)
        inside = path == str(pure) and not pure.is_absolute() and ".." not in pure.parts and pure.parts
        if not inside or "\\" in path or "\0" in path or path == SKILL_FILE:
            raise SkillError(f"{path!r} cannot be a skill's file; use a relative path like 'scripts/run.py'")
        if not isinstance(data, bytes):
            raise SkillError(f"the skill's file {path!r} must be bytes, not {type(data).__name__}")
    return dict(files)


def write(path: Path, text: str, files: Mapping[str, bytes]) -> None:
    """Write the text alone to a .md path; to any other path a folder, once it is known to be valid."""
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        problem = f"the text holds half of a surrogate pair at character {error.start}; remove it"
        raise SkillError(f"{path}: {problem}") from error
    try:
        if path.suffix.lower() == ".md":
            _write_file(path, data)
            return
        _check_standard(path, text)
        for name, content in sorted({**checked_files(files), SKILL_FILE: data}.items()):
            _write_file(_inside(path, name), content)
    except (OSError, ValueError) as error:
        raise SkillError(f"{path}: the skill cannot be written ({error})") from error


def _check_standard(path: Path, text: str) -> None:
    front = parse_frontmatter(text)
    if front is None:
        raise SkillError(
            f"{path}: a skill folder needs frontmatter; add it with Skill.with_frontmatter or write to .md"
        )
    broken = [violation.message for violation in violations(front, folder_name=path.resolve().name)]
    if not broken and not is_plain_yaml(text):
        broken = ["its frontmatter needs repair to be read; write it anew with Skill.with_frontmatter"]
    if broken:
        raise SkillError(f"{path}: not a valid skill folder: " + "; ".join(broken))


def is_plain_yaml(text: str) -> bool:
    """Whether the frontmatter is YAML as it stands, for clients that repair nothing."""
    from sharpen.skills.yaml_block import reads_strictly

    return reads_strictly(block_of(text) or "")


def _inside(root: Path, name: str) -> Path:
    path = root / name
    if not path.parent.resolve().is_relative_to(root.resolve()):
        raise SkillError(f"{path} lies behind a symbolic link out of the skill's folder; remove the link")
    return path


def _write_file(path: Path, data: bytes) -> None:
    """Whole or not at all: a temporary file beside it, then a rename. Scripts (`#!`) may be executed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.urandom(6).hex()}.tmp")
    mode = 0o777 if data.startswith(b"#!") else 0o666
    try:
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as stream:
            stream.write(data)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
