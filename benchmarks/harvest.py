"""How fast sessions are read, redacted and kept, beside a plain `json.loads` loop over the same lines.

    python benchmarks/harvest.py [--megabytes 1000] [--runs 3] [--markdown]

Session files of Claude Code and Codex are generated (`sessions.py`): one file of that size, which is read
step by step, then redacted and written to an archive as well; and five of a hundredth of the size, which are
each built as a whole trajectory. Each job runs in a process of its own, so that its peak memory is its own;
jobs alternate, and the ratio is of processor time, because a shared machine's clock says little. Memory is
flat when a file of a tenth of the size needs about as much.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from sessions import SESSIONS, write_session
from sharpen.traces.archive import Archive
from sharpen.traces.gathering import Gathering, Nowhere
from sharpen.traces.harvest import harvest
from sharpen.traces.privacy import Privacy, best_engine
from sharpen.traces.reading import SourceFile, read_file
from sharpen.traces.sources import FORMATS
from tables import table

READING, HARVESTING = 0.5, 0.1
FLAT = 1.5
ORDINARY = 5  # sessions, each of a hundredth of the size

Job = Callable[[Sequence[Path]], None]


def plain(paths: Sequence[Path]) -> None:
    for path in paths:
        with path.open("rb") as file:
            for line in file:
                json.loads(line)


def reading(paths: Sequence[Path]) -> None:
    for path in paths:
        read_file(_source(path), Nowhere())


def trajectories(paths: Sequence[Path]) -> None:
    for path in paths:
        told = Gathering()
        read_file(_source(path), told)
        if not all(session.trajectory().steps for session in told.sessions):
            raise SystemExit(f"{path} was not read")


def harvesting(paths: Sequence[Path]) -> None:
    privacy = Privacy(environ={}, names=["alice"])
    files = [_source(path) for path in paths]
    with (
        tempfile.TemporaryDirectory(dir=paths[0].parent) as folder,
        Archive.open(Path(folder, "traces.db"), create=True) as archive,
    ):
        for tally in harvest(files, archive, privacy=privacy).values():
            if tally.refused or tally.unread or not tally.redactions:
                raise SystemExit(f"the harvest went wrong: {tally}")


def _source(path: Path) -> SourceFile:
    return SourceFile(path, FORMATS[path.suffixes[0][1:]])


JSON_LOOP = "json.loads"
ONE_FILE: tuple[tuple[str, Job, float | None], ...] = (
    (JSON_LOOP, plain, None),
    ("read", reading, READING),
    ("read, redact, write", harvesting, HARVESTING),
)
ORDINARY_FILES: tuple[tuple[str, Job, float | None], ...] = (
    (JSON_LOOP, plain, None),
    ("read as trajectories", trajectories, READING),
)


def measure(job: Job, paths: Sequence[Path]) -> tuple[float, float]:
    """Processor seconds and peak megabytes of a job in a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measured, (job, paths))


def _measured(job: Job, paths: Sequence[Path]) -> tuple[float, float]:
    clock = time.process_time()
    job(paths)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
    return time.process_time() - clock, peak


def of_client(name: str, folder: Path, megabytes: float, runs: int) -> list[list[str]]:
    """The rows of the table for one client's sessions."""
    print(f"generating {megabytes:g} MB of {name}", file=sys.stderr)
    whole = [_generated(folder / f"whole.{name}.jsonl", megabytes)]
    tenth = [_generated(folder / f"tenth.{name}.jsonl", megabytes / 10)]
    some = [_generated(folder / f"{at}.{name}.jsonl", megabytes / 100) for at in range(ORDINARY)]
    small = {job: measure(run, tenth)[1] for job, run, _ in ONE_FILE}
    rows = [
        *_rows(name, "one file", ONE_FILE, whole, runs, small),
        *_rows(name, f"{ORDINARY} sessions", ORDINARY_FILES, some, runs, {}),
    ]
    for path in (*whole, *tenth, *some):
        path.unlink()
    return rows


def _generated(path: Path, megabytes: float) -> Path:
    write_session(path, megabytes, path.suffixes[0][1:])
    return path


def _rows(
    name: str,
    what: str,
    jobs: Sequence[tuple[str, Job, float | None]],
    paths: Sequence[Path],
    runs: int,
    small: dict[str, float],
) -> list[list[str]]:
    taken: dict[str, list[tuple[float, float]]] = {job: [] for job, _, _ in jobs}
    for _ in range(runs):
        for job, run, _ in jobs:
            taken[job].append(measure(run, paths))
    size = sum(path.stat().st_size for path in paths) / 1e6
    base = min(seconds for seconds, _ in taken[JSON_LOOP])
    rows = []
    for job, _, bound in jobs:
        seconds, peak = min(taken[job])[0], max(peak for _, peak in taken[job])
        good = bound is None or (base / seconds >= bound and peak <= FLAT * small.get(job, peak))
        rows.append(
            [
                name,
                what,
                job,
                f"{size / seconds:,.0f}",
                f"{base / seconds:.2f}",
                "" if bound is None else f"{bound:g}",
                f"{peak:.0f}",
                f"{small[job]:.0f}" if job in small else "",
                "" if bound is None else "ok" if good else "no",
            ]
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--megabytes", type=float, default=1000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--markdown", action="store_true")
    asked = parser.parse_args()
    rows: list[list[str]] = []
    with tempfile.TemporaryDirectory(prefix="sharpen-") as folder:
        for name in SESSIONS:
            rows += of_client(name, Path(folder), asked.megabytes, asked.runs)
    head = ["sessions", "in", "job", "MB/s", "ratio", "at least", "peak MB", "peak MB of a tenth", ""]
    print(table(head, rows, markdown=asked.markdown))
    print(f"redaction finds with {best_engine()}", file=sys.stderr)
    sys.exit(any(row[-1] == "no" for row in rows))


if __name__ == "__main__":
    main()
