"""One writer per run folder, across processes and inside one.

The operating system holds the lock, so a dead process never blocks a run. Beside it lies a small record
of the holder, which is only read to name it to whoever is refused. Knows nothing of what the folder holds.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from sharpen.errors import RunLockedError

LOCK_NAME = "run.lock"
HOLDER_NAME = "run.holder.json"


class FolderLock:
    """A lock that is held from its making until `release`."""

    def __init__(self, run_dir: Path) -> None:
        # Not a singleton: a second store of the same process must be refused, not let in as the same holder.
        self._lock = FileLock(run_dir / LOCK_NAME, is_singleton=False)
        self._holder = run_dir / HOLDER_NAME
        try:
            self._lock.acquire(blocking=False)
        except Timeout:
            raise RunLockedError(_refusal(run_dir)) from None
        try:
            self._holder.write_text(json.dumps(_this_process()) + "\n", encoding="utf-8")
        except BaseException:
            self._lock.release()
            raise

    @property
    def held(self) -> bool:
        return self._lock.is_locked

    def release(self) -> None:
        """Let the next process in; the holder's record goes first so that it never names the wrong one."""
        if self.held:
            self._holder.unlink(missing_ok=True)
            self._lock.release()


def _this_process() -> dict[str, str | int]:
    """Who holds the lock. The program without its arguments: those may carry a secret."""
    return {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": Path(sys.argv[0] if sys.argv else sys.executable).name,
    }


def _refusal(run_dir: Path) -> str:
    return f"run folder {run_dir} is in use by {_holder_of(run_dir)}; wait for it or choose another folder"


def _holder_of(run_dir: Path) -> str:
    try:
        holder = json.loads((run_dir / HOLDER_NAME).read_text(encoding="utf-8"))
        return "process {pid} ({command}) on host {host} since {since}".format_map(holder)
    except (OSError, ValueError, KeyError, TypeError):  # not written yet, or half written: still refused
        return "another process"
