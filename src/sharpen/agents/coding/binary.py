"""The client's real binary: found, asked for its version, and refused when it is too old.

The folder of the binary comes first on the run's PATH, so a client installed beside its own Node uses that
one. A program that the client would download into every new home must be there already.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from sharpen.clients import Client
from sharpen.errors import SettingsError

_VERSION = re.compile(r"\b(\d+)\.(\d+)\.(\d+)\b")
PATIENCE = 60.0
"""Seconds a binary may take to say its version; a cold start of a large one takes several."""


@dataclass(frozen=True)
class Binary:
    """A binary that may be used."""

    path: Path
    version: str
    fetched: Path | None = None
    """The folder of a program that the client fetched for its user and that is not on PATH."""

    @property
    def search_path(self) -> str:
        """PATH for its run."""
        kept = [] if self.fetched is None else [str(self.fetched)]
        return os.pathsep.join([_beside(self.path), *kept])


def find_binary(client: Client, given: str | None = None) -> Binary:
    """The client's binary; SettingsError when it is missing, does not run or is too old."""
    path = _located(client, given)
    version = _version(client, path)
    if client.minimum and _numbers(version) < _numbers(client.minimum):
        raise SettingsError(
            f"{client.title} {version} was found at {path}, but {client.minimum} or newer is needed; "
            f"update it: {client.install}"
        )
    return Binary(path, version, _fetched(client, path))


def _located(client: Client, given: str | None) -> Path:
    for name in (given,) if given else client.binaries:
        found = shutil.which(name)
        if found:
            # Not resolved: a link's own folder is where npm puts what belongs to it.
            return Path(found).absolute()
    what = f"{given} is not a program" if given else f"no `{client.binaries[0]}` on PATH"
    raise SettingsError(f"{client.title} is not there ({what}); install it: {client.install}")


def _version(client: Client, path: Path) -> str:
    code, said = _asked(client, path)
    found = _VERSION.search(said) if code == 0 else None
    if found:
        return found[0]
    node = f" It needs Node {client.node} or newer." if client.node else ""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    telling = next((line for line in lines if "error" in line.lower()), lines[-1] if lines else "no word")
    problem = f"{path} does not tell its version ({telling[:200]})."
    raise SettingsError(f"{problem}{node} Install it anew: {client.install}")


def _fetched(client: Client, path: Path) -> Path | None:
    """Where the client keeps what it fetched; None when PATH has it or nothing is fetched."""
    if client.fetches is None or shutil.which(client.fetches[0], path=_beside(path)):
        return None
    program, folder = client.fetches[0], Path.home() / client.fetches[1]
    if (folder / program).is_file():
        return folder
    raise SettingsError(
        f"{client.title} needs the program {program} and would download it in every attempt, and each has a "
        "new home; install it so that it is on PATH"
    )


def _beside(path: Path) -> str:
    """PATH with the binary's own folder first."""
    return os.pathsep.join([str(path.parent), os.environ.get("PATH", os.defpath)])


def _asked(client: Client, path: Path) -> tuple[int, str]:
    """The exit code and what was said: on standard output when all went well, else on standard error."""
    with tempfile.TemporaryDirectory(prefix="sharpen-", ignore_cleanup_errors=True) as home:
        try:
            done = subprocess.run(
                [str(path), *client.version_arguments],
                env={"HOME": home, "PATH": _beside(path)},
                cwd=home,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=PATIENCE,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return 1, f"{type(error).__name__}: {error}"
    said = done.stdout if done.returncode == 0 else done.stderr
    return done.returncode, said.decode("utf-8", "replace")


def _numbers(version: str) -> tuple[int, ...]:
    found = _VERSION.search(version)
    return tuple(map(int, found.groups())) if found else ()
