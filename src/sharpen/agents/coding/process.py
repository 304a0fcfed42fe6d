"""One run of a binary: standard input empty, a session of its own, output into files, a hard end.

Output goes to files because a forgotten background process would keep a pipe open for ever. When the run is
over, for whatever reason, everything it started ends: its process group, and whoever else carries its home
folder in the environment, since agents put commands into groups of their own. When this process itself is
killed, the kernel ends the binary: an agent that nobody waits for would go on spending.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

GRACE = 2.0
"""Seconds between asking a run to end and ending it."""
MOST_OUTPUT = 256_000_000
"""Bytes of output that are read; what a run prints beyond them is left out."""
_BOUND = """
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
if os.getppid() == int(sys.argv[1]):  # else its parent died before
    os.execv(sys.argv[2], sys.argv[2:])
"""


@dataclass(frozen=True)
class Finished:
    """How a run ended; `code` is None when it was ended for taking too long."""

    code: int | None
    output: str
    complaint: str
    isolation: str
    """What kept its commands from the machine: a sandbox level, `client` for the client's own, or `none`."""


async def run(
    command: Sequence[str], *, environment: Mapping[str, str], root: Path, work: Path, timeout: float
) -> Finished:
    """Run the command in `work` until it ends or its time is over."""
    out, err = root / "stdout", root / "stderr"
    with out.open("wb") as stdout, err.open("wb") as stderr:
        process = await asyncio.create_subprocess_exec(
            *_bound(command),
            env=dict(environment),
            cwd=work,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )
    code: int | None = None
    try:
        code = await asyncio.wait_for(process.wait(), timeout)
    except TimeoutError:
        _signal_group(process.pid, signal.SIGTERM)
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), GRACE)
    finally:
        _end_everything(process.pid, environment.get("HOME", ""))
        await asyncio.shield(process.wait())
    return Finished(code, _read(out), _read(err), "none")


def _bound(command: Sequence[str]) -> Sequence[str]:
    """The command, which ends with this process; only Linux can promise that."""
    if sys.platform != "linux":
        return command
    return [sys.executable, "-I", "-S", "-c", _BOUND, str(os.getpid()), *command]


def _end_everything(group: int, home: str) -> None:
    _signal_group(group, signal.SIGKILL)
    for pid in _processes_of(home):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def _signal_group(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _processes_of(home: str) -> list[int]:
    """Processes whose environment names this home folder; none where /proc does not tell."""
    mark = f"HOME={home}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*") if home else ():
        with suppress(OSError):
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found


def _read(path: Path) -> str:
    with path.open("rb") as stream:
        return stream.read(MOST_OUTPUT).decode("utf-8", "replace")
