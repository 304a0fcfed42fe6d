"""The loops' own time per rollout, sharpen beside GEPA in the same run.

    python benchmarks/overhead.py [--repeats 5] [--cases batch-500,folder-slip.2]

Student and teacher are simulated and their time is subtracted on both sides. Runs are interleaved (sharpen,
GEPA, sharpen, …) and medians are shown, because machines are noisy; the ratio is what to look at.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import ours
from environments import lines_of
from outcomes import Outcome
from tables import table


@dataclass(frozen=True)
class Case:
    """One comparison: the same world, the same budget, with or without a run folder."""

    world: str
    loop: str = "draft"
    budget: int | None = None  # None: the world's usual one
    folder: bool = False


CASES = {
    "batch-500": Case("slip.2", loop="batch", budget=500),
    "batch-10000": Case("slip.2", loop="batch", budget=10_000),
    "slip.2": Case("slip.2"),
    "large": Case("large"),
    "folder-batch-500": Case("slip.2", loop="batch", budget=500, folder=True),
    "folder-slip.2": Case("slip.2", folder=True),
    "folder-large": Case("large", folder=True),
}


def play_ours(case: Case, seed: int) -> Outcome:
    """In a fresh process, as GEPA is: earlier runs must not fill its memory."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_play_ours, case, seed).result()


def _play_ours(case: Case, seed: int) -> Outcome:
    ours.play("small", 0, budget=100)  # warm-up: what is imported late is not a loop's own time
    if not case.folder:
        return ours.play(case.world, seed, budget=case.budget, loop=case.loop)
    with tempfile.TemporaryDirectory(prefix="sharpen-") as folder:
        run_dir = Path(folder) / "run"
        return ours.play(case.world, seed, budget=case.budget, loop=case.loop, run_dir=run_dir)


def play_gepa(case: Case, seed: int) -> Outcome:
    arguments = ["--world", case.world, "--seeds", str(seed), "--warm-up"]
    arguments += ["--budget", str(case.budget)] if case.budget else []
    arguments += ["--run-dirs"] if case.folder else []
    (line,) = lines_of("gepa", "gepa_rival.py", arguments)
    return Outcome.from_json(line)


def row_of(name: str, case: Case, repeats: int) -> list[str]:
    mine, theirs = [], []
    for seed in range(repeats):
        mine.append(play_ours(case, seed))
        theirs.append(play_gepa(case, seed))
        print(f"{name} {seed + 1}/{repeats}", file=sys.stderr)
    sharpen, gepa = _microseconds(mine), _microseconds(theirs)
    rollouts = [f"{statistics.median(run.rollouts for run in runs):.0f}" for runs in (mine, theirs)]
    return [name, rollouts[0], f"{sharpen:.0f}", rollouts[1], f"{gepa:.0f}", f"{sharpen / gepa:.2f}"]


def _microseconds(runs: list[Outcome]) -> float:
    """Median own time per rollout."""
    return statistics.median(1e6 * (run.own_seconds or 0.0) / run.rollouts for run in runs)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--cases", default=",".join(CASES), help=f"some of {','.join(CASES)}")
    parser.add_argument("--markdown", action="store_true")
    asked = parser.parse_args()
    names = asked.cases.split(",")
    unknown = [name for name in names if name not in CASES]
    if unknown:
        parser.error(f"no case is called {', '.join(unknown)}; there are {', '.join(CASES)}")
    rows = [row_of(name, CASES[name], asked.repeats) for name in names]
    head = ["case", "sharpen: rollouts", "µs each", "gepa: rollouts", "µs each", "sharpen / gepa"]
    print(table(head, rows, markdown=asked.markdown))


if __name__ == "__main__":
    main()
