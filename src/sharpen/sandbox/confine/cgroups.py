"""Counting processes for root, whom the kernel's per-user limit does not bind.

Uses the pids controller of cgroup v2 or v1 where root may make a group; one group per run, removed after it.
Other users do not need it.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from pathlib import Path

_NAME = "sharpen-"
_ROOT = Path("/sys/fs/cgroup")
_EMPTYING, _MOMENT = 500, 0.002  # rounds and seconds between them


def place() -> Path | None:
    """Where groups with a limit on processes can be made; None where they cannot."""
    if os.geteuid() != 0:
        return None
    for home in (_ROOT, _ROOT / "pids"):
        with contextlib.suppress(OSError):
            Group(home, 1).remove()
            _sweep(home)
            return home
    return None


def _sweep(home: Path) -> None:
    """Removes the groups of programs that were killed before they could."""
    for left in home.glob(f"{_NAME}*-*"):
        if not Path("/proc", left.name.split("-")[1]).exists():
            with contextlib.suppress(OSError):
                left.rmdir()


class Group:
    """One run's group."""

    def __init__(self, home: Path, processes: int) -> None:
        self.retired = False  # its run is over; until then it may still be waiting for its first member
        self.path = Path(tempfile.mkdtemp(prefix=f"{_NAME}{os.getpid()}-", dir=home))
        limit = self.path / "pids.max"
        if not limit.exists():  # another controller's tree, or no cgroup tree at all
            self.path.rmdir()
            raise OSError(f"{home} does not count processes")
        limit.write_text(str(processes))

    def add(self, pid: int) -> None:
        (self.path / "cgroup.procs").write_text(str(pid))

    def members(self) -> list[int]:
        return [int(line) for line in (self.path / "cgroup.procs").read_text().split()]

    def refused(self) -> bool:
        """Whether a fork was refused here."""
        with contextlib.suppress(OSError):
            words = (self.path / "pids.events").read_text().split()
            return int(words[words.index("max") + 1]) > 0
        return False

    def removed(self) -> bool:
        """Removes the group if its last member is really gone, which takes the kernel a moment."""
        try:
            self.path.rmdir()
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return True

    def remove(self) -> None:
        for _ in range(_EMPTYING):
            if self.removed():
                return
            time.sleep(_MOMENT)
