"""Rivals live in environments of their own, made on first use under `.cache/bench/`.

A rival gets its pinned packages from the package index that pip is set up for, and sees sharpen's sources by
path. Nothing is installed into the environment that runs the benchmarks.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = {"gepa": ("gepa==0.1.4",)}


def python_of(rival: str) -> Path:
    """The interpreter of a rival's environment, which is made when it is missing or was left half made."""
    folder = ROOT / ".cache" / "bench" / rival
    python = folder / "bin" / "python"
    stamp = folder / "packages.txt"
    wanted = "\n".join(PACKAGES[rival])
    if not stamp.exists() or stamp.read_text() != wanted:
        print(f"making the environment of {rival} in {folder}", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", *PACKAGES[rival]], check=True, stdout=sys.stderr
        )
        stamp.write_text(wanted)
    return python


def lines_of(rival: str, script: str, arguments: Sequence[str]) -> Iterator[str]:
    """What a rival's script prints, line by line as it comes; its chatter goes to our stderr."""
    command = [str(python_of(rival)), str(ROOT / "benchmarks" / "rivals" / script), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield from process.stdout
    if process.returncode:
        raise RuntimeError(f"{script} ended with code {process.returncode}; its messages are above")
