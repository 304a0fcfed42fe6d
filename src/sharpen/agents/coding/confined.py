"""A run inside sharpen's sandbox: the network stays, the files of the machine do not.

The agent sees its own folders, the system's programs and the place its client is installed in, and can
write to its own folders only. Clock and output are limited and nothing else: language runtimes reserve far
more memory than they use.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from sharpen.agents.coding.process import MOST_OUTPUT, Finished
from sharpen.clients import Client
from sharpen.errors import SettingsError
from sharpen.sandbox import Limits, Sandbox, SandboxError, open_sandbox

_ENTER = 'cd "$1" && shift && exec "$@"'
TRIED = 10.0
"""Seconds a sandbox may take to show that it works."""


def check_sandbox(client: Client) -> None:
    """SettingsError when nothing here can isolate this client."""
    otherwise = "or set isolation='none' to run it with your own rights"
    try:
        sandbox = _opened(TRIED, ())
    except SandboxError as error:
        raise SettingsError(f"{client.title} cannot be isolated: {error}; {otherwise}") from error
    sandbox.close()
    if sandbox.isolation in client.fails_under:
        level = f"does not start in the sandbox level {sandbox.isolation}, the best one here"
        raise SettingsError(f"{client.title} {level}; install bubblewrap, {otherwise}")


async def run_confined(
    command: Sequence[str], *, environment: Mapping[str, str], root: Path, work: Path, timeout: float
) -> Finished:
    """Run the command in `work`, able to write below `root` only."""
    sandbox = _opened(timeout, tuple(_installed(command[0], environment.get("PATH", ""))))
    try:
        entered = ["sh", "-c", _ENTER, "sh", str(work), *command]
        done = await sandbox.run(entered, folder=root, env=environment)
    finally:
        sandbox.close()
    code = done.exit_code if done.signal is None else 128 + done.signal
    output, complaint = (text.decode("utf-8", "replace") for text in (done.stdout, done.stderr))
    return Finished(None if done.stopped_by == "time" else code, output, complaint, done.isolation)


def _opened(seconds: float, readable: tuple[Path, ...]) -> Sandbox:
    limits = Limits(
        memory_mb=None,
        cpu_seconds=None,
        seconds=seconds,
        processes=None,
        file_mb=None,
        output_bytes=MOST_OUTPUT,
    )
    return open_sandbox(limits=limits, network=True, readable=readable)


def _installed(binary: str, path: str) -> Iterator[Path]:
    """Where the client, the Node it may run on and the ripgrep it may search with live."""
    others = (shutil.which(name, path=path) for name in ("node", "rg"))
    for program in (binary, *filter(None, others)):
        yield Path(program).parent
        real = Path(os.path.realpath(program))
        modules = [parent for parent in real.parents if parent.name == "node_modules"]
        yield modules[-1] if modules else real.parent
