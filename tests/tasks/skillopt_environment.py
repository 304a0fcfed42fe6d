"""An environment of its own with the published `skillopt` wheel, made once under `.cache/`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve()
CACHE = HERE.parents[2] / ".cache" / "skillopt"
WHEEL = "skillopt==0.2.0"


def ask_skillopt(requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What SkillOpt's own code answers; skips the test when its wheel cannot be had."""
    python = _python()
    done = subprocess.run(
        [str(python), str(HERE.with_name("skillopt_oracle.py"))],
        input=json.dumps(requests),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    return answers


def _python() -> Path:
    python, stamp = CACHE / "bin" / "python", CACHE / f"{WHEEL}.installed"
    if stamp.exists() and python.exists():
        return python
    commands = (
        [sys.executable, "-m", "venv", "--clear", str(CACHE)],
        # The loaders need PyYAML only; the clients of model providers would be 100 MB more.
        [
            str(python),
            "-m",
            "pip",
            "--disable-pip-version-check",
            "-q",
            "install",
            "--no-deps",
            WHEEL,
            "pyyaml",
        ],
    )
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if done.returncode:
            pytest.skip(f"{WHEEL} cannot be installed here: {done.stderr.strip().splitlines()[-1:]}")
    stamp.touch()
    return python
