"""Which levels of isolation this machine offers, and a sandbox at one of them.

A level is tried for real before it is offered. Nothing is chosen silently: without isolation runs only who
says so, and a limit that a level cannot keep is named before the first run.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from sharpen.errors import SandboxError

from . import bwrap
from .bubblewrap import Bubblewrap
from .confine import cgroups, landlock, seccomp
from .confine.job import tasks_of_user
from .finished import Isolation
from .limits import Limits
from .running import Level
from .sandbox import Sandbox
from .starter import Forked
from .view import View

_ISOLATING: tuple[Isolation, ...] = ("bubblewrap", "landlock")
_INSTALL = (
    "install bubblewrap (Debian and Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap), "
    "or use a Linux kernel with Landlock (6.12 or newer has all of it)"
)


@dataclass(frozen=True)
class Offer:
    """One level on this machine: whether it works, and what there is to say about it."""

    level: Isolation
    works: bool
    says: str


def open_sandbox(
    level: Isolation | None = None,
    *,
    limits: Limits = Limits(),  # noqa: B008  frozen
    network: bool = False,
    readable: tuple[Path, ...] = (),
    writable: tuple[Path, ...] = (),
    missing_limits_ok: bool = False,
) -> Sandbox:
    """A sandbox at this level, or at the best isolating one; `none` only when asked for by name."""
    if level is not None and level not in get_args(Isolation):
        raise SandboxError(f"no isolation is called {level!r}; there are {', '.join(get_args(Isolation))}")
    chosen = _working(level)
    view = View.of(network=network, readable=readable, writable=writable)
    home = cgroups.place() if limits.processes is not None else None
    missing = _unenforced(chosen, limits, home)
    if missing and not missing_limits_ok:
        raise SandboxError(
            f"{chosen} cannot limit {' and '.join(missing)} here ({_remedy(chosen, missing)}); "
            "pass missing_limits_ok=True to run without"
        )
    level_here = _level(chosen, view, limits, home)
    return Sandbox(chosen, level_here, limits=limits, view=view, unenforced=missing)


def _level(isolation: Isolation, view: View, limits: Limits, home: Path | None) -> Level:
    if isolation == "bubblewrap":
        return Bubblewrap(view, limits, home)
    return Forked(view, limits, home, confined=isolation == "landlock")


def available_levels() -> tuple[Offer, ...]:
    """Every level, best first, tried with a real run of `true`."""
    return tuple(_offer(level) for level in (*_ISOLATING, "none"))


def _working(level: Isolation | None) -> Isolation:
    if level is not None:
        offer = _offer(level)
        if not offer.works:
            raise SandboxError(f"the sandbox level {level} does not work here: {offer.says}")
        return level
    offers = []
    for candidate in _ISOLATING:
        offers.append(_offer(candidate))
        if offers[-1].works:
            return candidate
    tried = "; ".join(f"{offer.level}: {offer.says}" for offer in offers)
    raise SandboxError(
        f"nothing here can isolate a job ({tried}). Either {_INSTALL}, or ask for level 'none'"
    )


def _unenforced(level: Isolation, limits: Limits, home: Path | None) -> tuple[str, ...]:
    """Names of what a job could do in spite of this level."""
    names: list[str] = []
    if limits.processes is not None and home is None and not _counts_processes(level):
        names.append("processes")
    if level == "landlock":
        names += landlock.gaps(landlock.abi())
    return tuple(names)


def _counts_processes(level: Isolation) -> bool:
    """Whether the kernel's limit per user works: not for root, and only where tasks can be counted."""
    return os.geteuid() != 0 and (level == "bubblewrap" or tasks_of_user() is not None)


def _remedy(level: Isolation, missing: tuple[str, ...]) -> str:
    if "processes" in missing:
        if os.geteuid() == 0:
            return "root is not bound by it without a writable pids cgroup: run as another user"
        return "the processes of this user cannot be counted: make /proc readable"
    return f"this kernel's Landlock is version {landlock.abi()}: use bubblewrap or a newer kernel"


def _offer(level: Isolation) -> Offer:
    reason = _absent(level)
    if reason:
        return Offer(level, False, reason)
    with ThreadPoolExecutor(1) as pool:  # a thread of its own, because a loop may be running in this one
        failure = pool.submit(lambda: asyncio.run(_tried(level))).result()
    if failure:
        return Offer(level, False, failure)
    missing = _unenforced(level, Limits(), cgroups.place())
    says = {
        "bubblewrap": "namespaces, seccomp and limits",
        "landlock": f"Landlock version {landlock.abi()}, seccomp and limits",
        "none": "limits only; jobs can read and write what you can",
    }[level]
    return Offer(level, True, says + (f"; not limited: {', '.join(missing)}" if missing else ""))


def _absent(level: Isolation) -> str:
    if level != "none" and not seccomp.supported():
        return "needs Linux on x86_64 or aarch64"
    if level == "bubblewrap" and bwrap.program() is None:
        return "the program bwrap is not installed (Debian and Ubuntu: apt install bubblewrap)"
    if level == "landlock" and landlock.abi() == 0:
        return "this kernel has no Landlock, or it is switched off"
    return ""


async def _tried(level: Isolation) -> str:
    """Empty when a run worked, else what went wrong."""
    view = View.of(network=False, readable=(), writable=())
    with tempfile.TemporaryDirectory(prefix="sharpen-") as folder:
        limits = Limits(seconds=10)
        started = _level(level, view, limits, None)
        sandbox = Sandbox(level, started, limits=limits, view=view, unenforced=())
        try:
            finished = await sandbox.run(["true"], folder=Path(folder))
        except SandboxError as error:
            return str(error)
        finally:
            sandbox.close()
    if finished.exit_code == 0:
        return ""
    said = finished.stderr.decode("utf-8", "replace").strip()
    return f"`true` ended with {finished.exit_code} in it ({said or finished.stopped_by or 'no word'})"
