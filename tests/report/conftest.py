"""Each sample run is made once and looked at by many tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from sharpen.report import RunView, load_run

from .samples import OfficeStudent, kill_run, train_office, train_world


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="session")
def accepted_dir(folder: Path) -> Path:
    train_world("slip.1", folder / "accepted")
    return folder / "accepted"


@pytest.fixture(scope="session")
def accepted(accepted_dir: Path) -> RunView:
    return load_run(accepted_dir)


@pytest.fixture(scope="session")
def null(folder: Path) -> RunView:
    train_world("null.1", folder / "null", rollouts=1000)
    return load_run(folder / "null")


@pytest.fixture(scope="session")
def refused(folder: Path) -> RunView:
    """A gate at every step, and none of them lets a useless edit in."""
    train_world("null.1", folder / "refused", loop="batch")
    return load_run(folder / "refused")


@pytest.fixture(scope="session")
def batch(folder: Path) -> RunView:
    train_world("slip.1", folder / "batch", loop="batch", gate="strict")
    return load_run(folder / "batch")


@pytest.fixture(scope="session")
def office(folder: Path) -> RunView:
    train_office(folder / "office <&> 'quoted'")
    return load_run(folder / "office <&> 'quoted'")


@pytest.fixture(scope="session")
def outage(folder: Path) -> RunView:
    """Some tasks never answer; the student reports tokens and no price."""
    student = OfficeStudent(priced=False, outages=["selection-5", "test-3"])
    train_office(folder / "outage", student=student)
    return load_run(folder / "outage")


@pytest.fixture(scope="session")
def killed(folder: Path) -> RunView:
    kill_run(folder / "killed", after=300)
    return load_run(folder / "killed")


@pytest.fixture(scope="session")
def unborn(folder: Path) -> RunView:
    """Killed at the very first attempt."""
    kill_run(folder / "unborn", after=0)
    return load_run(folder / "unborn")
