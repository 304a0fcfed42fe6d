"""Patches and the repositories they change: finding one in an answer, applying it, and making one.

Repositories are git clones beneath the data; work happens on a copy of one commit. Whether a patch is right
is not known here.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterable, Sequence
from io import BytesIO
from pathlib import Path

from sharpen.errors import SandboxError, TaskError
from sharpen.tasks.scoring import Answer
from sharpen.types import Task

_FENCE = re.compile(r"```(?:diff|patch)\n(.*?)```", re.DOTALL)
_TAG = re.compile(r"<patch>\n?(.*?)</patch>", re.DOTALL)
_TOUCHED = re.compile(r"^(?:\+\+\+ b|--- a)/(.+)$", re.MULTILINE)


def patch_in(text: str) -> str:
    """The patch of an answer: tagged, fenced, or the answer itself when it is one."""
    for pattern in (_TAG, _FENCE):
        found = pattern.findall(text)
        if found:
            return str(found[-1]).strip("\n") + "\n"
    bare = text.strip("\n")
    return bare + "\n" if bare.startswith(("diff --git", "--- ")) else ""


def patch_of(task: Task, answer: Answer) -> str:
    """The answer's patch, or the difference between the files a task brought and those an agent left."""
    files = task.data.get("files")
    found = patch_in(answer.text)
    if found or answer.folder is None or not files:
        return found
    with tempfile.TemporaryDirectory(prefix="sharpen-") as place:
        work = Path(place)
        for name, text in files.items():
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            (work / name).write_text(text, encoding="utf-8")
        git("init", "-q", folder=work)
        git("add", "-A", folder=work)
        before = git("write-tree", folder=work).stdout.decode("ascii").strip()
        overlay(work, answer.folder, laid_out=files)
        git("add", "-A", folder=work)
        made = git("diff", "--cached", "--no-color", "--no-ext-diff", before, folder=work)
        return made.stdout.decode("utf-8", "replace")


# -- repositories ----------------------------------------------------------------------------------------


def repository(root: Path, name: str, where: str) -> Path:
    """The clone of OWNER/NAME beneath the data."""
    place = root / "repos" / name.replace("/", "__")
    if not place.is_dir():
        raise TaskError(
            f"{where}: there is no clone of {name} at {place}; clone it there, or use the scorer swebench@1"
        )
    return place


def git(*words: str, folder: Path, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    program = shutil.which("git")
    if program is None:
        raise SandboxError("git is not installed, which judging patches needs")
    alone = {**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.resolve().parent)}  # of no other repository
    return subprocess.run(
        [program, *words], cwd=folder, input=given, capture_output=True, check=False, env=alone
    )


def archive_of(clone: Path, commit: str, where: str) -> tarfile.TarFile:
    done = git("archive", "--format=tar", commit, folder=clone)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise TaskError(f"{where}: the commit {commit} cannot be had from {clone} ({said})")
    return tarfile.open(fileobj=BytesIO(done.stdout))


def tracked_texts(root: Path, name: str, commit: str, *, where: str) -> dict[str, str]:
    """The texts of a commit, for the work folder of an agent."""
    files = {}
    with archive_of(repository(root, name, where), commit, where) as archive:
        for member in archive.getmembers():
            stream = archive.extractfile(member) if member.isfile() else None
            content = b"" if stream is None else stream.read()
            if stream is not None and b"\0" not in content:
                files[member.name] = content.decode("utf-8", "replace")
    return files


def touched_by(patch: str) -> list[str]:
    """The files that a patch changes, makes or removes."""
    return sorted({match[1] for match in _TOUCHED.finditer(patch)})


def restore(archive: tarfile.TarFile, work: Path, names: Sequence[str]) -> None:
    """Puts the files of the tests back as they were, as the harness does: an answer cannot change them."""
    tracked = set(archive.getnames())
    for name in names:
        place = work / name
        if not place.resolve().is_relative_to(work.resolve()):
            continue
        place.unlink(missing_ok=True)
        if name in tracked:
            archive.extract(name, work, filter="data")


def overlay(work: Path, folder: Path, *, laid_out: Iterable[str]) -> None:
    """What an agent left in its folder, upon the repository; what it removed of its files goes."""
    for name in laid_out:
        if not (folder / name).exists():
            (work / name).unlink(missing_ok=True)
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.is_file() and not path.is_symlink() and not {".git", "__pycache__"} & set(inside.parts):
            (work / inside).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, work / inside)


def applied(work: Path, patch: str) -> bool:
    """git refuses a patch that reaches outside the folder."""
    if not patch.strip():
        return True
    whole = patch if patch.endswith("\n") else patch + "\n"
    return git("apply", "--whitespace=nowarn", "-", folder=work, given=whole.encode()).returncode == 0
