"""Skills trained for a real frozen model on this machine: starting against trained skill on held-out tasks.

    python benchmarks/real_model.py [--families year,record,date] [--seeds 3] [--temperature 0] [--markdown]
    python benchmarks/real_model.py --teacher model --families date,opposite,year,record --runs FOLDER

The model is downloaded on first use. `--teacher phrasebook` (the default) uses no model to teach and trains
SmolLM2-135M (93 MB). `--teacher model` has one model play both parts, Qwen2.5-Coder-1.5B (1.1 GB) unless
`--model` names another: it attempts the tasks, and it writes the rules. Every row is one training run: what
the test split says before and after, the paired gain with its 95 % interval, what the gate said, how long the
skill became, and what it took. With `--runs` the same command goes on where it was interrupted. `--repeat`
runs everything twice and compares the skills.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import sharpen
from sharpen.agents.chat import ChatSettings, ChatStudent
from sharpen.models import Model, open_model
from sharpen.skills import tokens
from sharpen.store import SqliteStore
from sharpen.tasks.formats import FAMILIES, Family, Sizes
from sharpen.tasks.formats.demo import ROLLOUTS, SIZES
from sharpen.train.teacher import PhrasebookTeacher, RuleTeacher
from tables import table

HEAD = (
    *("family", "seed", "start", "trained", "gain on test", "gate"),
    *("skill's tokens", "edits", "rollouts", "teacher calls", "tokens", "seconds"),
)
MODELS = {"phrasebook": "local:smollm2", "model": "local:qwen2.5-coder-1.5b"}
"""Which model is trained when none is named, by who teaches it."""


@dataclass(frozen=True)
class Plan:
    """What every run of the table shares."""

    sizes: Sizes
    rollouts: int
    temperature: float
    teacher: str = "phrasebook"
    runs: Path | None = None

    def student(self, model: Model, family: Family) -> ChatStudent:
        settings = ChatSettings(max_tokens=family.max_tokens, temperature=self.temperature)
        return ChatStudent(model, family.scorer, settings)


@dataclass(frozen=True)
class Trained:
    """One training run and how long it took."""

    family: str
    seed: int
    result: sharpen.TrainResult
    seconds: float

    def row(self) -> list[str]:
        result, spent = self.result, self.result.spent
        assert result.test is not None
        assert result.gain is not None
        return [
            self.family,
            str(self.seed),
            f"{result.test.mean - result.gain.mean:.2f}",
            f"{result.test.mean:.2f}",
            f"{result.gain.mean:+.2f} [{result.gain.low:+.2f}, {result.gain.high:+.2f}]",
            self.verdict,
            str(tokens(result.skill.text)),
            str(accepted_edits(result)),
            str(result.rollouts),
            f"{spent['calls'] - spent['rollouts']:.0f}",
            f"{spent['tokens']:.0f}",
            f"{self.seconds:.0f}",
        ]

    @property
    def verdict(self) -> str:
        gates = [event["verdict"] for event in self.result.history if event["kind"] == "gate"]
        if not gates:
            tried = sum(event["kind"] == "drop" for event in self.result.history)
            return f"nothing to judge, {tried} tries dropped"
        last = gates[-1]
        return f"{last['decision']}, {last['wins']} wins {last['losses']} losses"


def accepted_edits(result: sharpen.TrainResult) -> int:
    """Edits that reached the exported skill through a gate."""
    gates = (event for event in result.history if event["kind"] == "gate")
    accepted = (gate["edits"] for gate in gates if gate["verdict"]["decision"] == "better")
    return sum(edit["status"].startswith("applied") for edits in accepted for edit in edits)


async def train_one(model: Model, family_name: str, seed: int, plan: Plan) -> Trained:
    family = FAMILIES[family_name]
    tasks = family.tasks(seed, plan.sizes)
    folder = plan.runs / f"{family_name}-{seed}" if plan.runs else None
    began = time.monotonic()
    result = await sharpen.atrain(
        family.skill,
        tasks,
        plan.student(model, family),
        RuleTeacher(model) if plan.teacher == "model" else PhrasebookTeacher(tasks.train),
        sharpen.Budget(rollouts=plan.rollouts),
        sharpen.TrainSettings(seed=seed),
        folder,
    )
    return Trained(family_name, seed, result, seconds_of(folder) if folder else time.monotonic() - began)


def seconds_of(folder: Path) -> float:
    """How long a run took, interruptions left out."""
    store = SqliteStore.read(folder)
    try:
        return store.seconds()
    finally:
        store.close()


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
    parser.add_argument("--teacher", choices=MODELS, default="phrasebook")
    parser.add_argument("--model", help="the model that is trained; with --teacher model it teaches, too")
    parser.add_argument("--families", default=",".join(FAMILIES))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--sizes", default=f"{SIZES.train},{SIZES.selection},{SIZES.test}")
    parser.add_argument("--rollouts", type=int, default=ROLLOUTS)
    parser.add_argument("--temperature", type=float, default=0.0, help="of the student")
    parser.add_argument("--runs", type=Path, metavar="FOLDER", help="keep a run folder for every row there")
    parser.add_argument("--repeat", action="store_true", help="run everything twice and compare the skills")
    parser.add_argument("--markdown", action="store_true")
    given = parser.parse_args()
    if given.repeat and given.runs:
        parser.error("--repeat would read the finished runs of --runs; give one of them")
    return given


def main() -> None:
    given = arguments()
    sizes = Sizes(*map(int, given.sizes.split(",")))
    plan = Plan(sizes, given.rollouts, given.temperature, given.teacher, given.runs)
    model = given.model or MODELS[given.teacher]
    seeds = range(given.first_seed, given.first_seed + given.seeds)
    families = given.families.split(",")
    began = time.monotonic()
    found = asyncio.run(train_all(model, families, seeds, plan))
    print(table(HEAD, [run.row() for run in found], markdown=given.markdown))
    print(f"{time.monotonic() - began:.0f} s in all, model's start included", file=sys.stderr)
    if given.repeat:
        again = asyncio.run(train_all(model, families, seeds, plan))
        same = [one.result.skill == two.result.skill for one, two in zip(found, again, strict=True)]
        print(f"\nrun again: {sum(same)} of {len(same)} ended in the same skill")


if __name__ == "__main__":
    main()
