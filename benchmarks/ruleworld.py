"""sharpen, GEPA and a SkillOpt-shaped loop on the same simulated worlds, in one run.

    python benchmarks/ruleworld.py [--seeds 0-19] [--worlds all] [--rivals gepa,skillopt] [--markdown]

The table goes to stdout, progress to stderr. Everything is simulated: the figures compare loops, not models.
In the clean worlds (dense, binary) rivals stop when an oracle says solved; sharpen stops by itself.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import ours
from environments import lines_of, python_of
from outcomes import CLEAN, Outcome, chunks, parse_seeds
from rivals import skillopt_shaped
from sharpen.simulate import WORLDS
from tables import table
from targets import error, mean, missed, target_of

OURS = "sharpen"
RIVALS = ("gepa", "skillopt", "skillopt.x3")
TIMED = ("large", "null.large")  # worlds played on the virtual clock: 16 in flight, the teacher takes 2 s
SEEDS_PER_START = 5  # GEPA's interpreter takes longer to start than a short run takes

Runs = dict[tuple[str, str], list[Outcome]]


@dataclass(frozen=True)
class Job:
    """Some seeds of one world for one loop."""

    loop: str
    world: str
    seeds: tuple[int, ...]


def jobs_for(loops: Sequence[str], worlds: Sequence[str], seeds: Sequence[int]) -> list[Job]:
    return [
        Job(loop, world, some)
        for world in worlds
        for loop in loops
        for some in chunks(seeds, SEEDS_PER_START if loop == "gepa" else 1)
    ]


def play(job: Job) -> list[Outcome]:
    if job.loop == "gepa":
        seeds = ",".join(map(str, job.seeds))
        lines = lines_of("gepa", "gepa_rival.py", ["--world", job.world, "--seeds", seeds])
        return [Outcome.from_json(line) for line in lines]
    if job.loop == OURS:
        one = ours.play_virtual if job.world in TIMED else ours.play
        return [one(job.world, seed) for seed in job.seeds]
    passes = 3 if job.loop == "skillopt.x3" else 1
    return [skillopt_shaped.play(job.world, seed, passes=passes) for seed in job.seeds]


def play_all(jobs: Sequence[Job], *, processes: int) -> Iterator[Outcome]:
    """Outcomes as they come, with a line of progress for each finished job."""
    began = time.perf_counter()
    with ProcessPoolExecutor(processes) as pool:
        playing = {pool.submit(play, job): job for job in jobs}
        for done, future in enumerate(as_completed(playing), start=1):
            job = playing[future]
            seconds = time.perf_counter() - began
            print(f"{done}/{len(jobs)} {job.loop} {job.world} {job.seeds} {seconds:.0f} s", file=sys.stderr)
            yield from future.result()


# -- the table ----------------------------------------------------------------------------------------


def rows_of(runs: Runs, loops: Sequence[str], worlds: Sequence[str]) -> list[list[str]]:
    rows = []
    for world in worlds:
        by_loop = {loop: sorted(runs[loop, world], key=lambda run: run.seed) for loop in loops}
        row = [world, str(target_of(world)), _reached(world, by_loop)]
        for loop in loops:
            row += _cells(world, by_loop[loop])
            row += [_worst(by_loop[loop])] if loop == OURS else []
        rows.append(row)
    return rows


def head_of(loops: Sequence[str]) -> list[str]:
    head = ["world", "target", "reached"]
    for loop in loops:
        head += [f"{loop}: rollouts [quartiles]", "test (s.e.)", "bias"]
        head += ["worst"] if loop == OURS else []
    return head


def _reached(world: str, by_loop: dict[str, list[Outcome]]) -> str:
    if not by_loop.get(OURS):
        return "-"
    short = missed(world, by_loop[OURS], by_loop)
    return "no: " + ", ".join(short) if short else "yes"


def _cells(world: str, runs: Sequence[Outcome]) -> list[str]:
    """Rollouts, test score (in null worlds: who accepted anything), reported minus expected."""
    return [_rollouts(world, runs), _score(world, runs), f"{mean(runs, lambda run: run.bias):+.3f}"]


def _rollouts(world: str, runs: Sequence[Outcome]) -> str:
    used = [run.rollouts for run in runs]
    low, high = _quartiles(used)
    shown = f"{statistics.median(used):.0f} [{low:.0f}-{high:.0f}]"
    walls = [run.wall for run in runs if run.wall is not None]
    return f"{shown}, {statistics.fmean(walls):.0f} s" if walls and world in TIMED else shown


def _quartiles(values: Sequence[float]) -> tuple[float, float]:
    if len(values) < 2:
        return values[0], values[0]
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, high


def _score(world: str, runs: Sequence[Outcome]) -> str:
    if world.startswith("null."):
        return f"{sum(run.accepted > 0 for run in runs)}/{len(runs)} accept"
    shown = f"{mean(runs, lambda run: run.test):.3f} ({error(runs, lambda run: run.test):.3f})"
    return f"{shown}, {sum(run.solved for run in runs)}/{len(runs)} solved" if world in CLEAN else shown


def _worst(runs: Sequence[Outcome]) -> str:
    return f"{min(run.test for run in runs):.2f}"


# -- the command --------------------------------------------------------------------------------------


def parsed(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=parse_seeds, default="0-19", help="such as 0-19 or 0-4,100")
    parser.add_argument("--worlds", type=_worlds, default="all", help="all, or names separated by commas")
    parser.add_argument(
        "--rivals", type=_rivals, default="gepa,skillopt", help=f"none, or some of {','.join(RIVALS)}"
    )
    parser.add_argument("--only-rivals", action="store_true", help="leave sharpen out")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the outcomes, one per line")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    return parser.parse_args(arguments)


def _worlds(text: str) -> tuple[str, ...]:
    names = tuple(WORLDS) if text == "all" else tuple(text.split(","))
    return _known(names, WORLDS)


def _rivals(text: str) -> tuple[str, ...]:
    return () if text == "none" else _known(tuple(text.split(",")), RIVALS)


def _known(names: tuple[str, ...], there: Collection[str]) -> tuple[str, ...]:
    unknown = [name for name in names if name not in there]
    if unknown:
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)}: not one of {', '.join(there)}")
    return names


def main() -> None:
    asked = parsed()
    loops = (*(() if asked.only_rivals else (OURS,)), *asked.rivals)
    if "gepa" in loops:
        python_of("gepa")  # made once, before several processes would make it
    runs: Runs = defaultdict(list)
    with asked.json.open("w") if asked.json else nullcontext() as kept:
        for outcome in play_all(jobs_for(loops, asked.worlds, asked.seeds), processes=asked.jobs):
            runs[outcome.loop, outcome.world].append(outcome)
            if kept:
                print(outcome.to_json(), file=kept, flush=True)
    print(table(head_of(loops), rows_of(runs, loops, asked.worlds), markdown=asked.markdown))


if __name__ == "__main__":
    main()
