"""`sharpen doctor`: does what sharpen stands on work here, and what could agents be run with?

Sends no request and no key anywhere; writes temporary files only.
"""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import typer

from sharpen import __version__
from sharpen.cli import options
from sharpen.cli.surroundings import Finding, surroundings
from sharpen.cli.terminal import console, print_facts, print_json
from sharpen.errors import SharpenError
from sharpen.store import SqliteStore

OLDEST_SQLITE = (3, 35, 0)
LITTLE_SPACE = 200_000_000
"""Bytes; a run of a few thousand rollouts with trajectories fits."""


def command(json: options.Json = False) -> None:
    """Check that sharpen can work here.

    Also says what agents can be run with: isolation, local models, providers whose keys are set and whether
    they take a connection, and the coding agents on the path.

    Exit code: 0 when nothing is broken, 1 otherwise.
    """
    found = list(_findings())
    if json:
        print_json([finding._asdict() for finding in found])
    else:
        print_facts((f"{f.level:<7}  {f.what}", f.found) for f in found)
    if any(finding.level == "problem" for finding in found):
        raise typer.Exit(1)


def _findings() -> Iterator[Finding]:
    yield Finding("sharpen", "ok", f"{__version__} in {Path(__file__).parent.parent}")
    yield _python()
    yield _sqlite()
    yield _store()
    yield _folder()
    yield _space()
    yield _terminal()
    yield from _packages()
    yield from surroundings()


def _python() -> Finding:
    words = f"{platform.python_version()} ({sys.executable}) on {platform.system()} {platform.machine()}"
    return Finding("python", "ok" if sys.version_info >= (3, 11) else "problem", words)


def _sqlite() -> Finding:
    words = f"{sqlite3.sqlite_version}"
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        return Finding("sqlite", "problem", f"{words}; needed is {'.'.join(map(str, OLDEST_SQLITE))}")
    return Finding("sqlite", "ok", words)


def _store() -> Finding:
    """A run folder made, written, read beside its writer, and closed."""
    try:
        with tempfile.TemporaryDirectory(prefix="sharpen-doctor-") as folder:
            run = Path(folder, "run")
            with closing(SqliteStore.open(run)) as store, closing(SqliteStore.read(run)) as reader:
                store.set_config({"doctor": True})
                seen = reader.config() == {"doctor": True}
            with closing(sqlite3.connect(run / "run.db")) as connection:
                mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
    except (SharpenError, OSError) as error:
        return Finding("store", "problem", str(error))
    if not seen or mode != "wal":
        return Finding("store", "problem", f"journal mode {mode}, reader sees writer: {seen}")
    return Finding(
        "store", "ok", f"written, locked and read in {tempfile.gettempdir()}, write-ahead log works"
    )


def _folder() -> Finding:
    here = Path.cwd()
    if os.access(here, os.W_OK):
        return Finding("folder", "ok", f"{here} can be written")
    return Finding("folder", "warning", f"{here} cannot be written; name run folders elsewhere with --run")


def _space() -> Finding:
    free = shutil.disk_usage(Path.cwd()).free
    words = f"{free / 1e9:.1f} GB free here"
    return Finding("space", "ok" if free > LITTLE_SPACE else "warning", words)


def _terminal() -> Finding:
    err = console(stderr=True)
    words = (
        f"{err.width} columns, colours {err.color_system or 'off'}"
        if err.is_terminal
        else "none: plain lines"
    )
    return Finding("terminal", "ok", f"{words}; encoding {sys.stdout.encoding}")


def _packages() -> Iterator[Finding]:
    """What the installed package asks for; extras that are not there are no problem."""
    try:
        needed = requires("sharpen") or []
    except PackageNotFoundError:
        yield Finding("packages", "warning", "sharpen runs from its source tree and is not installed")
        return
    for line in needed:
        requirement, _, condition = line.partition(";")
        name = _name(requirement)
        extra = condition.partition("extra ==")[2].strip().strip("'\"")
        if extra == "dev":
            continue
        yield _package(name, extra)


def _name(requirement: str) -> str:
    return requirement.strip().split(">")[0].split("=")[0].split("<")[0].split("[")[0].split("~")[0].strip()


def _package(name: str, extra: str) -> Finding:
    try:
        return Finding(name, "ok", version(name))
    except PackageNotFoundError:
        if extra:
            return Finding(name, "ok", f"not installed; pip install 'sharpen[{extra}]' brings it")
        return Finding(name, "problem", f"missing; pip install {name}")
