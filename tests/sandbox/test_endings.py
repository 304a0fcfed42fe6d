"""A run leaves nothing behind, however it ends."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sharpen.sandbox import Finished, open_sandbox

from .conftest import ISOLATING, WORKING, Opener

each_level = pytest.mark.parametrize("level", WORKING)


@each_level
def test_a_folder_made_anew_under_the_same_name(level: str, opened: Opener, folder: Path) -> None:
    async def twice() -> Finished:
        await opened(level).run(["touch", "old"], folder=folder)
        await asyncio.sleep(0.1)  # time for the next run to be prepared
        (folder / "old").unlink()
        folder.rmdir()
        folder.mkdir()
        return await opened(level).run(["touch", "new"], folder=folder)

    assert asyncio.run(twice()).exit_code == 0
    assert [p.name for p in folder.iterdir()] == ["new"]


@each_level
def test_cancelling_ends_the_whole_tree(level: str, opened: Opener, folder: Path) -> None:
    script = "(setsid sh -c 'while :; do date +%N > beat; sleep 0.02; done' &) ; touch up; sleep 600"

    async def cancelled() -> None:
        task = asyncio.ensure_future(opened(level).run(["sh", "-c", script], folder=folder))
        while not (folder / "beat").exists():
            await asyncio.sleep(0.02)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        assert task.cancelled()

    asyncio.run(asyncio.wait_for(cancelled(), 30))
    assert_still(folder / "beat")


@each_level
def test_everything_ends_when_we_are_killed(level: str, folder: Path) -> None:
    program = (
        "import asyncio, sys; from pathlib import Path; from sharpen.sandbox import open_sandbox\n"
        f"sandbox = open_sandbox({level!r}, missing_limits_ok=True)\n"
        "script = 'while :; do date +%N > beat; sleep 0.02; done'\n"
        "asyncio.run(sandbox.run(['sh', '-c', script], folder=Path(sys.argv[1])))"
    )
    ours = subprocess.Popen([sys.executable, "-c", program, str(folder)])
    while not (folder / "beat").exists():
        assert ours.poll() is None
        time.sleep(0.02)
    ours.kill()
    ours.wait()
    for _ in range(250):  # nobody waits for a killed program's children, so give them a moment
        before = (folder / "beat").read_bytes()
        time.sleep(0.1)
        if (folder / "beat").read_bytes() == before:
            break
    assert_still(folder / "beat")


def assert_still(beat: Path) -> None:
    before = beat.read_bytes()
    time.sleep(0.3)
    assert beat.read_bytes() == before


@pytest.mark.parametrize("level", ISOLATING)
def test_changing_folders_leaves_no_process_behind(level: str, tmp_path: Path) -> None:
    sandbox = open_sandbox(level, missing_limits_ok=True)  # type: ignore[arg-type]
    folders = [tmp_path / f"folder-{n}-{os.getpid()}" for n in range(10)]

    async def wander() -> None:
        for folder in folders:
            folder.mkdir()
            assert (await sandbox.run(["true"], folder=folder)).exit_code == 0
            await asyncio.sleep(0.004)  # the next start is just being prepared

    asyncio.run(wander())
    sandbox.close()
    assert [pid for pid in os.listdir("/proc") if _mentions(pid, str(tmp_path))] == []  # noqa: PTH208


def _mentions(pid: str, text: str) -> bool:
    with contextlib.suppress(OSError):
        return text.encode() in Path("/proc", pid, "cmdline").read_bytes()
    return False
