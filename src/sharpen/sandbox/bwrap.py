"""What the program `bwrap` is told: the world inside, and the job.

Knows bwrap's options and a little shell. Does not start anything.
"""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path

from . import view as views
from .limits import Limits
from .running import Job
from .view import View

_NAMESPACES = (
    "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
    "--die-with-parent", "--new-session", "--uid", "65534", "--gid", "65534", "--hostname", "sandbox",
    "--clearenv",
)  # fmt: skip
_DEFAULT_TMP = 1 << 30

# The greeting on stdout comes before anything a job could say: without it there was no job.
GREETING = b"\n"
LISTEN = "echo; n='\n'; IFS= read -r line && eval \"$line\""

# Joined by itself and not by us, because moving a process into a group takes the kernel ten milliseconds.
JOIN = 'echo 0 > "$0" && exec "$@"'


def program() -> str | None:
    return shutil.which("bwrap")


def arguments(folder: Path, *, view: View, limits: Limits) -> list[str]:
    """What bwrap is told about the world inside."""
    said = [*_NAMESPACES, *(() if view.network else ("--unshare-net",))]
    for path in map(Path, views.SYSTEM):
        if path.is_symlink():
            said += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            said += ["--ro-bind", str(path), str(path)]
    for path in view.etc:
        said += ["--ro-bind", os.path.realpath(path), str(path)]
    size = str(limits.memory_mb << 20 if limits.memory_mb else _DEFAULT_TMP)
    # Without a read-only /proc root inside could write kernel settings, since it owns them outside, too.
    said += ["--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev"]
    said += ["--size", size, "--tmpfs", "/dev/shm", "--remount-ro", "/dev"]
    said += ["--size", size, "--tmpfs", "/tmp"]
    for path in (*view.prefixes, *view.readable):
        said += ["--ro-bind", str(path), str(path)]
    for path in (*view.writable, folder):
        said += ["--bind", str(path), str(path)]
    return [*said, "--remount-ro", "/", "--chdir", str(folder)]


def spoken(job: Job) -> bytes:
    """The job as one line for the shell inside. A newline within a word is the shell's variable n."""
    env = {"HOME": "/tmp", "TMPDIR": "/tmp", **job.env}
    exports = " ".join(f"{name}={shlex.quote(value)}" for name, value in env.items())
    line = f"unset PWD OLDPWD; export {exports}; exec {shlex.join(job.argv)}"
    return os.fsencode(line.replace("\n", "'\"$n\"'")) + b"\n"
