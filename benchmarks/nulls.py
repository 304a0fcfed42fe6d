"""A/A: a teacher whose edits change nothing. How often does a run accept one of them all the same?

    python benchmarks/nulls.py [--runs 200] [--gates race,batch.race,strict,batch.strict]

The runs are spread over the null worlds. `race` promises at most 5 % of runs with any accept; `strict`, one
pass and a larger mean, is shown for contrast and promises nothing. With `batch.` in front the batch loop is
played, which puts a candidate to the gate at every step; the default loop hardly offers a useless one.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass

import ours
from outcomes import Outcome
from sharpen.simulate import WORLDS
from tables import table

NULLS = tuple(name for name in WORLDS if name.startswith("null."))
FIRST_SEED = 1000  # away from the seeds that loops are tuned on


@dataclass(frozen=True)
class Run:
    gate: str
    world: str
    seed: int


def play(run: Run) -> Outcome:
    gate = run.gate.removeprefix("batch.")
    return ours.play(run.world, run.seed, gate=gate, loop="draft" if gate == run.gate else "batch")


def spread(gates: Sequence[str], worlds: Sequence[str], *, runs: int, first: int) -> list[Run]:
    """`runs` runs for each gate, turn by turn over the worlds."""
    turns = [(worlds[k % len(worlds)], first + k // len(worlds)) for k in range(runs)]
    return [Run(gate, world, seed) for gate in gates for world, seed in turns]


def play_all(runs: Sequence[Run], *, processes: int) -> dict[Run, Outcome]:
    found = {}
    with ProcessPoolExecutor(processes) as pool:
        playing = {pool.submit(play, run): run for run in runs}
        for done, future in enumerate(as_completed(playing), start=1):
            found[playing[future]] = future.result()
            print(f"{done}/{len(runs)} {playing[future]}", file=sys.stderr)
    return found


def row_of(gate: str, world: str, outcomes: Sequence[Outcome]) -> list[str]:
    accepts, n = sum(run.accepted > 0 for run in outcomes), len(outcomes)
    return [
        gate,
        world,
        f"{accepts}/{n}",
        f"{accepts / n:.1%}",
        f"{upper_bound(accepts, n):.1%}",
        f"{statistics.median(run.rollouts for run in outcomes):.0f}",
        f"{statistics.fmean(run.bias for run in outcomes):+.3f}",
    ]


def upper_bound(accepts: int, n: int, *, level: float = 0.95) -> float:
    """Clopper and Pearson's one-sided bound: the share at which so few accepts would be a surprise."""
    low, high = accepts / n, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        chance = sum(math.comb(n, k) * middle**k * (1 - middle) ** (n - k) for k in range(accepts + 1))
        low, high = (middle, high) if chance > 1 - level else (low, middle)
    return high


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=200, help="for each gate, over all worlds together")
    parser.add_argument("--gates", default="race,batch.race,strict,batch.strict")
    parser.add_argument("--worlds", default=",".join(NULLS))
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--markdown", action="store_true")
    asked = parser.parse_args()
    gates, worlds = asked.gates.split(","), asked.worlds.split(",")
    found = play_all(spread(gates, worlds, runs=asked.runs, first=asked.first_seed), processes=asked.jobs)
    rows = []
    for gate in gates:
        for world in (*worlds, "all"):
            some = [o for run, o in found.items() if run.gate == gate and world in (run.world, "all")]
            rows += [row_of(gate, world, some)] if some else []
    head = ["gate", "world", "accepts", "share", "95 % bound", "median rollouts", "bias"]
    print(table(head, rows, markdown=asked.markdown))


if __name__ == "__main__":
    main()
