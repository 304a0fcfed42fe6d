"""Every attempt of the corpus at every level that isolates, and the same where nothing holds them."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from pathlib import Path

import pytest

from sharpen.sandbox import Finished, Sandbox

from .attempts import Escape
from .conftest import ISOLATING, Opener
from .escapes import ESCAPES
from .world import SECRET, World

pytestmark = pytest.mark.skipif(not ISOLATING, reason="nothing here can isolate a job")


def attempt(escape: Escape, sandbox: Sandbox, host: World, *, bare: bool = False) -> Finished:
    folder = host.root / "job"
    for left in folder.iterdir():
        shutil.rmtree(left) if left.is_dir() and not left.is_symlink() else left.unlink()
    (folder / "attempt.py").write_text(escape.script)
    job = sandbox.run(["python3", "-I", "-S", "attempt.py"], folder=folder, env=host.environment(bare=bare))
    return asyncio.run(job)


@pytest.mark.parametrize("escape", ESCAPES, ids=lambda escape: escape.name)
@pytest.mark.parametrize("level", ISOLATING)
def test_contained(
    level: str, escape: Escape, host: World, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHARPEN_TEST_SECRET", SECRET)
    with Path(host.facts["CANARY"]).open() as inheritable:
        os.set_inheritable(inheritable.fileno(), True)
        finished = attempt(escape, opened(level, **escape.limits), host)
    assert b"ESCAPED" not in finished.stdout, finished
    assert SECRET.encode() not in finished.stdout + finished.stderr
    assert host.damage() == []
    assert finished.isolation == level
    if escape.stopped_by:
        assert finished.stopped_by == escape.stopped_by, finished
        assert finished.exit_code != 0
    else:
        assert b"contained" in finished.stdout, finished  # it really was tried


@pytest.mark.parametrize("level", ISOLATING)
def test_nothing_owned_by_somebody_else_is_left_executable_with_rights(
    level: str, host: World, opened: Opener
) -> None:
    for escape in (e for e in ESCAPES if "set-user-id" in e.name):
        attempt(escape, opened(level), host)
        assert not [p for p in (host.root / "job").iterdir() if p.stat().st_mode & 0o6000]


@pytest.mark.parametrize("escape", [e for e in ESCAPES if e.bare], ids=lambda escape: escape.name)
def test_the_same_attempt_succeeds_without_isolation(escape: Escape, host: World, opened: Opener) -> None:
    finished = attempt(escape, opened("none"), host, bare=True)
    assert b"ESCAPED" in finished.stdout, finished
    assert finished.isolation == "none"


def test_the_corpus_is_as_large_as_promised() -> None:
    assert len({escape.name for escape in ESCAPES}) == len(ESCAPES) >= 40
    assert sys.platform == "linux"
