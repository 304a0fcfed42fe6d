"""What of the host a job can see, and the environment it starts with.

Programs, libraries and the interpreter that runs sharpen, read-only; of /etc only what programs look up,
nothing secret. No home, no other user's files, no /run, no /var. More only by name.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from sharpen.errors import SandboxError

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")
LOOKED_UP = ("passwd", "group", "nsswitch.conf", "ld.so.cache", "localtime", "alternatives")
FOR_THE_NETWORK = (
    "hosts", "resolv.conf", "host.conf", "gai.conf", "services", "protocols",
    "ssl/certs", "ssl/openssl.cnf", "pki/tls/certs", "pki/ca-trust", "ca-certificates",
)  # fmt: skip
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
HARMLESS_PROC = ("cpuinfo", "meminfo", "stat", "version", "loadavg", "uptime", "filesystems")


@dataclass(frozen=True)
class View:
    """Paths that exist, absolute; a job sees these and its folder."""

    network: bool
    readable: tuple[Path, ...]
    writable: tuple[Path, ...]

    @classmethod
    def of(cls, *, network: bool, readable: Sequence[Path], writable: Sequence[Path]) -> View:
        return cls(network, _existing(readable, "readable"), _existing(writable, "writable"))

    @cached_property
    def etc(self) -> tuple[Path, ...]:
        names = LOOKED_UP + (FOR_THE_NETWORK if self.network else ())
        return tuple(path for name in names if (path := Path("/etc", name)).exists())

    @cached_property
    def prefixes(self) -> tuple[Path, ...]:
        """Where the running Python lives, when that is not a system folder."""
        prefix = Path(os.path.realpath(sys.base_prefix))
        return () if _beneath(prefix, Path("/usr")) else (prefix,)

    def shows(self, path: Path, folder: Path) -> bool:
        real = Path(os.path.realpath(path))
        return any(_beneath(real, root) for root in (*self._roots, folder))

    @cached_property
    def _roots(self) -> tuple[Path, ...]:
        roots = [*map(Path, SYSTEM), *self.prefixes, *self.readable, *self.writable]
        return tuple(Path(os.path.realpath(root)) for root in roots)


def _existing(paths: Sequence[Path], what: str) -> tuple[Path, ...]:
    for path in paths:
        if not Path(path).exists():
            raise SandboxError(f"the {what} path {path} does not exist; the sandbox cannot show it")
    return tuple(Path(os.path.realpath(path)) for path in paths)


def _beneath(path: Path, root: Path) -> bool:
    return path == root or root in path.parents


def work_folder(folder: Path) -> Path:
    """The folder made absolute; refused when handing it to a job would hand over the machine."""
    real = Path(os.path.realpath(folder))
    if not real.is_dir():
        raise SandboxError(f"the work folder {folder} is not there; make it before the run")
    for place in _precious():
        if place == real or real in place.parents:
            raise SandboxError(f"the work folder {real} holds {place}; give the job a folder of its own")
    return real


@cache
def _precious() -> tuple[Path, ...]:
    places = [*map(Path, SYSTEM), Path("/etc"), Path("/proc"), Path("/dev"), Path("/sys"), Path.home()]
    return tuple(Path(os.path.realpath(place)) for place in places)


def environment(extra: Mapping[str, str]) -> dict[str, str]:
    """Nothing of ours passes on: a short path, a locale, and what was asked for."""
    own = Path(os.path.realpath(sys.base_prefix)) / "bin"
    path = [str(own), "/usr/local/bin", "/usr/bin", "/bin"]
    return {"PATH": ":".join(dict.fromkeys(path)), "LANG": "C.UTF-8", **extra}


def program(name: str, *, path: str, folder: Path, view: View | None) -> str:
    """The file that the job's first word means inside; None as view: everything can be seen."""
    places = [folder / name] if "/" in name else [Path(entry, name) for entry in path.split(":") if entry]
    for place in places:
        if place.is_file() and os.access(place, os.X_OK):
            if view is None or view.shows(place, folder):
                return str(place)
            raise SandboxError(
                f"{place} is there but not visible in the sandbox; name its folder in `readable`"
            )
    where = "" if "/" in name else f" in the sandbox's PATH ({path})"
    raise SandboxError(
        f"no program {name!r}{where}; check the name, or name its folder in `readable` and PATH"
    )
