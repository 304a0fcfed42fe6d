"""Skills trained for a real frozen model on this machine: starting against trained skill on held-out tasks.

    python benchmarks/real_model.py [--families year,record,date] [--seeds 3] [--temperature 0] [--markdown]

The model is downloaded on first use (SmolLM2-135M by default, 93 MB). The teacher is the built-in phrasebook,
which uses no model. Every row is one training run: what the test split says before and after, the paired gain
with its 95 % interval, what the gate said, and what it took. `--repeat` runs everything twice and compares
the skills.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

import sharpen
from sharpen.agents.chat import ChatSettings, ChatStudent
from sharpen.models import Model, open_model
from sharpen.tasks.formats import FAMILIES, Sizes
from sharpen.tasks.formats.demo import ROLLOUTS, SIZES
from sharpen.train.teacher import PhrasebookTeacher
from tables import table

HEAD = ("family", "seed", "start", "trained", "gain on test", "gate", "rollouts", "seconds", "skill")


@dataclass(frozen=True)
class Plan:
    """What every run of the table shares."""

    sizes: Sizes
    rollouts: int
    temperature: float


@dataclass(frozen=True)
class Trained:
    """One training run and how long it took."""

    family: str
    seed: int
    result: sharpen.TrainResult
    seconds: float

    def row(self) -> list[str]:
        result = self.result
        assert result.test is not None
        assert result.gain is not None
        return [
            self.family,
            str(self.seed),
            f"{result.test.mean - result.gain.mean:.2f}",
            f"{result.test.mean:.2f}",
            f"{result.gain.mean:+.2f} [{result.gain.low:+.2f}, {result.gain.high:+.2f}]",
            self.verdict,
            str(result.rollouts),
            f"{self.seconds:.0f}",
            result.skill.digest[:10],
        ]

    @property
    def verdict(self) -> str:
        gates = [event["verdict"] for event in self.result.history if event["kind"] == "gate"]
        if not gates:
            tried = sum(event["kind"] == "drop" for event in self.result.history)
            return f"nothing to judge, {tried} tries dropped"
        last = gates[-1]
        return f"{last['decision']}, {last['wins']} wins {last['losses']} losses"


async def train_one(model: Model, family_name: str, seed: int, plan: Plan) -> Trained:
    family = FAMILIES[family_name]
    tasks = family.tasks(seed, plan.sizes)
    settings = ChatSettings(max_tokens=family.max_tokens, temperature=plan.temperature)
    began = time.monotonic()
    result = await sharpen.atrain(
        family.skill,
        tasks,
        ChatStudent(model, family.scorer, settings),
        PhrasebookTeacher(tasks.train),
        sharpen.Budget(rollouts=plan.rollouts),
        sharpen.TrainSettings(seed=seed),
    )
    return Trained(family_name, seed, result, time.monotonic() - began)


async def train_all(
    model_name: str, families: Sequence[str], seeds: Sequence[int], plan: Plan
) -> list[Trained]:
    model, found = open_model(model_name), []
    try:
        for family in families:
            for seed in seeds:
                found.append(await train_one(model, family, seed, plan))
                print(" | ".join(found[-1].row()), file=sys.stderr)
                added = found[-1].result.skill.text.removeprefix(FAMILIES[family].start)
                print("".join(f"    {line}\n" for line in added.splitlines()), end="", file=sys.stderr)
    finally:
        await model.aclose()
    return found


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="local:smollm2")
    parser.add_argument("--families", default=",".join(FAMILIES))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--sizes", default=f"{SIZES.train},{SIZES.selection},{SIZES.test}")
    parser.add_argument("--rollouts", type=int, default=ROLLOUTS)
    parser.add_argument("--temperature", type=float, default=0.0)
    parser.add_argument("--repeat", action="store_true", help="run everything twice and compare the skills")
    parser.add_argument("--markdown", action="store_true")
    return parser.parse_args()


def main() -> None:
    given = arguments()
    plan = Plan(Sizes(*map(int, given.sizes.split(","))), given.rollouts, given.temperature)
    seeds = range(given.first_seed, given.first_seed + given.seeds)
    families = given.families.split(",")
    began = time.monotonic()
    found = asyncio.run(train_all(given.model, families, seeds, plan))
    print(table(HEAD, [run.row() for run in found], markdown=given.markdown))
    print(f"{time.monotonic() - began:.0f} s in all, model's start included", file=sys.stderr)
    if given.repeat:
        again = asyncio.run(train_all(given.model, families, seeds, plan))
        same = [one.result.skill == two.result.skill for one, two in zip(found, again, strict=True)]
        print(f"\nrun again: {sum(same)} of {len(same)} ended in the same skill")


if __name__ == "__main__":
    main()
