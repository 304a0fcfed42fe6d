"""Which level is taken, what is refused, and what is said about it."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

import sharpen
from sharpen.sandbox import SandboxError, available_levels, open_sandbox
from sharpen.sandbox.confine import landlock

from .conftest import ISOLATING


def test_levels_are_listed_best_first_and_the_best_is_taken() -> None:
    offers = available_levels()
    assert [offer.level for offer in offers] == ["bubblewrap", "landlock", "none"]
    assert all(offer.says for offer in offers)
    if ISOLATING:
        sandbox = open_sandbox(missing_limits_ok=True)
        assert sandbox.isolation == ISOLATING[0]
        sandbox.close()


def test_bubblewrap_is_named_when_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    offer = available_levels()[0]
    assert not offer.works
    assert "apt install bubblewrap" in offer.says
    with pytest.raises(SandboxError, match="apt install bubblewrap"):
        open_sandbox("bubblewrap")


def test_a_bubblewrap_that_does_not_work_is_not_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2; exit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(SandboxError, match="No permissions to create new namespace"):
        open_sandbox("bubblewrap")
    if "landlock" in ISOLATING:
        sandbox = open_sandbox(missing_limits_ok=True)
        assert sandbox.isolation == "landlock"
        sandbox.close()


def inside(folder: Path, code: str) -> str:
    """Runs sharpen in a sandbox: a place without namespaces, a second filter or cgroups to be had."""
    source = Path(sharpen.__file__).parents[1]
    sandbox = open_sandbox("landlock", readable=(source,), missing_limits_ok=True)
    program = f"from sharpen.sandbox import *\n{code}"
    job = sandbox.run(["python3", "-c", program], folder=folder, env={"PYTHONPATH": str(source)})
    finished = asyncio.run(job)
    sandbox.close()
    assert finished.exit_code == 0, finished
    return finished.stdout.decode()


@pytest.mark.skipif("landlock" not in ISOLATING, reason="needs Landlock")
def test_none_is_never_chosen_for_anybody(folder: Path) -> None:
    said = inside(
        folder,
        "try: open_sandbox()\nexcept SandboxError as error: print(error.exit_code, error)\n"
        "print(open_sandbox('none', missing_limits_ok=True).isolation)",
    )
    assert said.startswith("2 nothing here can isolate a job")
    assert "install bubblewrap" in said
    assert "ask for level 'none'" in said
    assert said.endswith("\nnone\n")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is not bound by the kernel's limit on processes")
@pytest.mark.skipif("landlock" not in ISOLATING, reason="needs Landlock")
def test_a_limit_that_cannot_be_kept_is_named_and_refused(folder: Path) -> None:
    said = inside(
        folder,
        "try: open_sandbox('none')\nexcept SandboxError as error: print(error)\n"
        "print(open_sandbox('none', missing_limits_ok=True).unenforced)\n"
        "print(open_sandbox('none', limits=Limits(processes=None)).unenforced)",
    )
    refusal, without, not_wanted = said.splitlines()
    assert "none cannot limit processes here" in refusal
    assert "run as another user" in refusal
    assert (without, not_wanted) == ("('processes',)", "()")


def test_what_older_kernels_leave_open_is_known() -> None:
    assert landlock.gaps(2) == ("truncation", "signals")
    assert landlock.gaps(5) == ("signals",)
    assert landlock.gaps(6) == landlock.gaps(7) == ()


def test_unknown_levels_and_missing_paths(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="there are bubblewrap, landlock, none"):
        open_sandbox("docker")  # type: ignore[arg-type]
    with pytest.raises(SandboxError, match=r"readable path .*missing does not exist"):
        open_sandbox("none", readable=(tmp_path / "missing",), missing_limits_ok=True)
