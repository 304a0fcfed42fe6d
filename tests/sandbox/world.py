"""A host to break out to: a canary file, a decoy process, servers that notice visitors, a damage report."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

SECRET = "canary-secret-5e0c"
LEFTOVERS = ("/sharpen-escape", "/etc/sharpen-escape", "/usr/sharpen-escape", "/dev/shm/sharpen-escape",
             "/tmp/sharpen-escape")  # fmt: skip


# Dies of a signal that everybody else ignores, so that a signal to all can be noticed and does no harm.
_DECOY = """
import os, signal, time
signal.signal(signal.SIGWINCH, lambda *_: os._exit(7))
print("ready", flush=True)
time.sleep(3600)
"""


@dataclass
class World:
    root: Path
    decoy: subprocess.Popen[bytes]
    facts: dict[str, str]
    visits: list[str]
    mark: str = field(default_factory=lambda: f"mark-{uuid.uuid4().hex}")

    def reset(self) -> None:
        canary = self.root / "outside" / "canary"
        canary.write_text(SECRET)
        canary.chmod(0o600)
        os.utime(canary, (1_000_000_000, 1_000_000_000))
        self.visits.clear()

    def environment(self, *, bare: bool) -> dict[str, str]:
        return {**self.facts, "MARK": self.mark, "BARE": "1" if bare else "0"}

    def damage(self) -> list[str]:
        """Everything on the host that is not as it was."""
        canary, found = self.root / "outside" / "canary", []
        if not canary.exists() or canary.read_text() != SECRET:
            return ["the canary was changed or removed"]
        seen = canary.stat()
        if (seen.st_mode & 0o7777, seen.st_mtime, seen.st_uid) != (0o600, 1_000_000_000, os.geteuid()):
            found.append(f"the canary's mode, time or owner was changed: {seen}")
        if Path(os.path.realpath(sys.executable)).stat().st_mode & 0o022 & ~self._interpreter:
            found.append("the interpreter's mode was changed")
        if (names := sorted(p.name for p in self.root.iterdir())) != ["job", "other", "outside"]:
            found.append(f"beside the folder: {names}")
        found += [f"{p} was left" for p in map(Path, LEFTOVERS) if p.exists()]
        found += [
            f"left in {p}"
            for p in (self.root / "other", self.root / "outside")
            if len(list(p.iterdir())) != 1
        ]
        if self.decoy.poll() is not None:
            found.append("the decoy was killed")
        return found + [f"visited: {visit}" for visit in self.visits] + self.survivors()

    @property
    def _interpreter(self) -> int:
        return int(self.facts["INTERPRETER_MODE"])

    def survivors(self) -> list[str]:
        """Processes that carry the mark."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                with contextlib.suppress(OSError):
                    if self.mark.encode() in (entry / "cmdline").read_bytes():
                        found.append(f"process {entry.name} survived")
        return found


@contextlib.contextmanager
def made(root: Path) -> Iterator[World]:
    for name in ("job", "other", "outside"):
        (root / name).mkdir()
    (root / "other" / "work").write_text("somebody else's")
    facts = {
        "CANARY": str(root / "outside" / "canary"), "OUTSIDE": str(root / "outside"),
        "OTHER": str(root / "other"), "REAL_HOME": str(Path.home()),
        "REAL_HOME_ENTRIES": str(len(list(Path.home().iterdir()))),
        "INTERPRETER_MODE": str(Path(os.path.realpath(sys.executable)).stat().st_mode & 0o022),
    }  # fmt: skip
    command = [sys.executable, "-c", _DECOY]
    hidden = {**os.environ, "SHARPEN_TEST_SECRET": SECRET}
    visits: list[str] = []
    with contextlib.ExitStack() as stack:
        sockets = stack.enter_context(_short_folder())
        facts |= _listeners(stack, sockets, visits)
        decoy = subprocess.Popen(
            command, env=hidden, cwd=root / "outside", start_new_session=True, stdout=subprocess.PIPE
        )
        try:
            assert decoy.stdout and decoy.stdout.readline() == b"ready\n"
            world = World(root, decoy, {**facts, "PARENT": str(decoy.pid)}, visits)
            world.reset()
            yield world
        finally:
            decoy.kill()
            decoy.communicate()


@contextlib.contextmanager
def _short_folder() -> Iterator[Path]:
    """The path of a socket may not be long."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="s-") as folder:
        yield Path(folder)


def _listeners(stack: contextlib.ExitStack, folder: Path, visits: list[str]) -> dict[str, str]:
    abstract = f"sharpen-{uuid.uuid4().hex}"
    wanted: dict[str, tuple[int, int, object]] = {
        "TCP": (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
        "UDP": (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
        "TCP6": (socket.AF_INET6, socket.SOCK_STREAM, ("::1", 0)),
        "UNIX": (socket.AF_UNIX, socket.SOCK_STREAM, str(folder / "stream")),
        "UNIX_DGRAM": (socket.AF_UNIX, socket.SOCK_DGRAM, str(folder / "dgram")),
        "ABSTRACT": (socket.AF_UNIX, socket.SOCK_STREAM, "\0" + abstract),
    }
    facts = {"ABSTRACT": abstract, "UNIX": str(folder / "stream"), "UNIX_DGRAM": str(folder / "dgram")}
    for name, (family, kind, address) in wanted.items():
        listener = socket.socket(family, kind)
        stack.callback(listener.close)
        try:
            listener.bind(address)  # type: ignore[arg-type]
        except OSError:  # a machine without IPv6
            facts.setdefault(name, "9")
            continue
        if kind == socket.SOCK_STREAM:
            listener.listen()
        facts.setdefault(name, str(listener.getsockname()[1]) if isinstance(address, tuple) else "")
        stack.callback(_watch(name, listener, visits))
    return facts


def _watch(name: str, listener: socket.socket, visits: list[str]) -> object:
    """Notes whoever comes; returns what stops it."""
    stop = threading.Event()
    listener.settimeout(0.05)

    def wait() -> None:
        while not stop.is_set():
            with contextlib.suppress(OSError):
                if listener.type == socket.SOCK_STREAM:
                    listener.accept()[0].close()
                else:
                    listener.recv(10)
                visits.append(name)

    thread = threading.Thread(target=wait)
    thread.start()

    def end() -> None:
        stop.set()
        thread.join()

    return end
