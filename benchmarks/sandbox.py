"""What a sandbox adds to starting a program: `/bin/true` bare and at every level, interleaved in one run.

    python benchmarks/sandbox.py [--runs 200] [--markdown]

The bare start is `subprocess.run` with captured output. A short pause precedes every start, as between an
agent's commands: that is when a sandbox makes the next start ready. `first` is a start in a folder not
used before, for which nothing could be made ready. Medians are shown; the ratio is what to look at, since
the machine's mood is in both. The bound holds for the isolating levels.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sharpen.sandbox import Limits, Sandbox, available_levels, open_sandbox
from tables import table

BOUND = 8.0
ISOLATING = ("bubblewrap", "landlock")
PROGRAM = ["/bin/true"]
WARM_UP = 5
PAUSE = 0.03  # seconds
EVERY = 5  # one start in a new folder for so many in the same


def bare() -> float:
    began = time.perf_counter()
    subprocess.run(PROGRAM, capture_output=True, check=True)
    return time.perf_counter() - began


async def inside(sandbox: Sandbox, folder: Path) -> float:
    began = time.perf_counter()
    finished = await sandbox.run(PROGRAM, folder=folder)
    if finished.exit_code != 0:
        raise SystemExit(f"{sandbox.isolation}: {PROGRAM[0]} failed: {finished}")
    return time.perf_counter() - began


async def measure(sandboxes: list[Sandbox], runs: int) -> dict[str, list[float]]:
    taken: dict[str, list[float]] = {"bare": []}
    with tempfile.TemporaryDirectory(prefix="sharpen-") as root:
        same = Path(root, "same")
        same.mkdir()
        for number in range(runs + WARM_UP):
            await asyncio.sleep(PAUSE)
            taken["bare"].append(bare())
            for sandbox in sandboxes:
                await asyncio.sleep(PAUSE)
                taken.setdefault(sandbox.isolation, []).append(await inside(sandbox, same))
                if number % EVERY == 0:
                    await asyncio.sleep(PAUSE)
                    fresh = Path(tempfile.mkdtemp(dir=root))
                    taken.setdefault(f"{sandbox.isolation}, first", []).append(await inside(sandbox, fresh))
                    await asyncio.sleep(PAUSE)
                    await inside(sandbox, same)
    return {name: times[WARM_UP if len(times) > runs else 1 :] for name, times in taken.items()}


def row_of(name: str, times: list[float], base: float) -> list[str]:
    middle = statistics.median(times)
    slow = statistics.quantiles(times, n=10)[-1]
    verdict = "" if name not in ISOLATING else ("ok" if middle / base <= BOUND else "no")
    return [name, f"{1e3 * middle:.2f}", f"{1e3 * slow:.2f}", f"{middle / base:.2f}", verdict]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--markdown", action="store_true")
    asked = parser.parse_args()
    levels = [offer.level for offer in available_levels() if offer.works]
    sandboxes = [open_sandbox(level, limits=Limits(seconds=30), missing_limits_ok=True) for level in levels]
    taken = asyncio.run(measure(sandboxes, asked.runs))
    base = statistics.median(taken["bare"])
    rows = [row_of(name, times, base) for name, times in taken.items()]
    print(table(["level", "p50 ms", "p90 ms", "ratio", f"≤ {BOUND:g}"], rows, markdown=asked.markdown))
    sys.exit(any(row[-1] == "no" for row in rows))


if __name__ == "__main__":
    main()
