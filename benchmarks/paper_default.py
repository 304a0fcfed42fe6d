"""SkillOpt's published settings against ours at the same budget in tokens, paired over seeds.

    python benchmarks/paper_default.py worlds [--worlds slip.1,bundle] [--seeds 400-409] [--markdown]
    python benchmarks/paper_default.py model --runs FOLDER [--family opposite] [--seeds 0-2] [--tokens 10000]

`worlds` plays simulated worlds: published settings (four epochs), the same without a limit of epochs, and the
default loop. `model` trains one family of tasks on a local model that is student and teacher, with batches of
8, minibatches of 4 and a selection split of 16; run folders make it resumable by the same command. The budget
covers the training; the test split is attempted afterwards, outside of it, by both skills alike.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean

import sharpen
from outcomes import parse_seeds
from real_model import MODELS, Plan, accepted_edits, seconds_of
from sharpen import BatchSettings, Budget, EvaluateSettings, TaskSet, TrainSettings
from sharpen.models import Model, open_model
from sharpen.simulate import SimulatedStudent, SimulatedTeacher, World, budget_of
from sharpen.skills import tokens
from sharpen.stats import paired
from sharpen.tasks.formats import FAMILIES, Family, Sizes
from sharpen.train.teacher import RuleTeacher, TeacherSettings
from tables import table
from token_counts import CountedStudent, CountedTeacher, TightlyBounded

WORLDS = ("binary", "slip.1", "slip.2", "bundle", "mislead", "soft", "diffuse", "null.1")
FRESH = range(400, 410)
"""Seeds that no loop here was tuned on."""
PER_ATTEMPT = 150
"""Tokens per usual rollout of a world: an attempt with half of the rules, and its share of the teaching."""
SIZES = Sizes(train=16, selection=16, test=20)
CHEAPEST = 40
"""Tokens of the cheapest attempt at a family: a plan counts rollouts, and tokens must run out before them."""
RULE = 48
"""Tokens of a rule at most."""


def paper(*, batch_size: int = 40, minibatch: int = 8, epochs: int | None = 4) -> TrainSettings:
    """The preset `paper`, but for what its teacher must be able to do.

    Merging follows plain rules, there is neither slow update nor meta skill, and only failures are reflected
    on: a simulated teacher gives no such advice and answers successes with inventions, and a model of 1.5B
    can write neither advice nor anything useful about successes. Reflections come one at a time: a call in
    flight counts as the most it can cost, and several would hold tokens back for nothing.
    """
    batch = BatchSettings(
        epochs=epochs,
        batch_size=batch_size,
        minibatch=minibatch,
        analysts=1,
        failure_only=True,
        merging="plain",
        slow_update=False,
        meta_skill=False,
        first_match=True,
    )
    return TrainSettings(loop="batch", gate="strict", batch=batch)


ON_WORLDS: Mapping[str, TrainSettings] = {
    "paper": paper(),
    "paper, more epochs": paper(epochs=None),
    "default": TrainSettings(),
}
ON_MODEL: Mapping[str, TrainSettings] = {
    "paper": paper(batch_size=8, minibatch=4),
    "default": TrainSettings(),
}


@dataclass(frozen=True)
class Ended:
    """One run: what its skill scores on test, and what it took."""

    seed: int
    scores: tuple[float, ...]
    """Per test task; in a simulated world one true score, as a share of the best reachable."""
    tokens: int
    rollouts: int
    calls: int
    edits: int
    size: int
    seconds: float = 0.0

    @property
    def score(self) -> float:
        return fmean(self.scores)


def ended(seed: int, result: sharpen.TrainResult, scores: Sequence[float], seconds: float = 0.0) -> Ended:
    spent = result.spent
    return Ended(
        seed=seed,
        scores=tuple(scores),
        tokens=int(spent["tokens"]),
        rollouts=result.rollouts,
        calls=int(spent["calls"] - spent["rollouts"]),
        edits=accepted_edits(result),
        size=tokens(result.skill.text),
        seconds=seconds,
    )


def seeded(settings: TrainSettings, seed: int) -> TrainSettings:
    return TrainSettings(seed=seed, loop=settings.loop, gate=settings.gate, batch=settings.batch)


# -- simulated worlds -----------------------------------------------------------------------------------


def play(name: str, arm: str, seed: int) -> Ended:
    world = World.named(name, seed=seed)
    tasks = world.tasks()
    result = sharpen.train(
        world.skill,
        TaskSet(train=tasks.train, selection=tasks.selection),
        CountedStudent(SimulatedStudent(world)),
        CountedTeacher(SimulatedTeacher(world)),
        Budget(tokens=PER_ATTEMPT * budget_of(name)),
        seeded(ON_WORLDS[arm], seed),
    )
    return ended(seed, result, [world.clean_mean("test", result.skill.text) / world.best_mean("test")])


def on_worlds(worlds: Sequence[str], seeds: Sequence[int], processes: int) -> list[list[str]]:
    rows = []
    with ProcessPoolExecutor(processes) as pool:
        for world in worlds:
            arms = {arm: list(pool.map(partial(play, world, arm), seeds)) for arm in ON_WORLDS}
            rows.append(row(world, arms))
            print(" | ".join(rows[-1]), file=sys.stderr)
    return rows


# -- a model on this machine ----------------------------------------------------------------------------


async def train_on_model(
    model: Model, family: Family, arm: str, *, seed: int, budget: Budget, plan: Plan
) -> Ended:
    """One training run in its folder, then the test split in a folder that all runs share."""
    assert plan.runs is not None
    tasks, student = family.tasks(seed, plan.sizes), plan.student(model, family)
    folder = plan.runs / f"{family.name}-{arm}-{seed}"
    result = await sharpen.atrain(
        family.skill,
        TaskSet(train=tasks.train, selection=tasks.selection),
        student,
        RuleTeacher(model, TeacherSettings(style="rules", max_tokens=RULE)),
        budget,
        seeded(ON_MODEL[arm], seed),
        folder,
    )
    test = await sharpen.aevaluate(
        result.skill,
        tasks,
        student,
        settings=EvaluateSettings(split="test"),
        run_dir=plan.runs / f"{family.name}-test",
    )
    scores = [fmean(test.values[task.id]) for task in tasks.test]
    return ended(seed, result, scores, seconds_of(folder))


async def on_model(
    model: Model, family: Family, seeds: Sequence[int], *, budget: Budget, plan: Plan
) -> dict[str, list[Ended]]:
    arms: dict[str, list[Ended]] = {arm: [] for arm in ON_MODEL}
    try:
        for seed in seeds:
            for arm, runs in arms.items():
                runs.append(await train_on_model(model, family, arm, seed=seed, budget=budget, plan=plan))
                print(" | ".join(each(arm, runs[-1])), file=sys.stderr)
    finally:
        await model.aclose()
    return arms


# -- the tables -------------------------------------------------------------------------------------------


def head(what: str, arms: Sequence[str]) -> list[str]:
    cells = [cell for arm in arms for cell in (arm, "tokens")]
    return [what, *cells, *(f"default minus {arm}" for arm in arms if arm != "default")]


def row(name: str, arms: Mapping[str, Sequence[Ended]]) -> list[str]:
    """Means over seeds, and the differences."""
    cells = [cell for runs in arms.values() for cell in (mean(runs, "score", 3), mean(runs, "tokens"))]
    return [name, *cells, *(difference(arms["default"], arms[arm]) for arm in arms if arm != "default")]


def mean(runs: Sequence[Ended], what: str, digits: int = 0) -> str:
    return f"{fmean(getattr(run, what) for run in runs):,.{digits}f}"


EACH = ("seed", "loop", "test", "edits", "skill's tokens", "tokens", "rollouts", "teacher calls", "seconds")


def each(arm: str, run: Ended) -> list[str]:
    """One run on a model."""
    counts = (run.edits, run.size, run.tokens, run.rollouts, run.calls, round(run.seconds))
    return [str(run.seed), arm, f"{run.score:.3f}", *map(str, counts)]


def difference(ours: Sequence[Ended], theirs: Sequence[Ended]) -> str:
    """Task by task where the tasks are the same, seeds as clusters."""
    pairs = [
        (new - old, one.seed)
        for one, other in zip(ours, theirs, strict=True)
        for new, old in zip(one.scores, other.scores, strict=True)
    ]
    found = paired([change for change, _ in pairs], [seed for _, seed in pairs])
    return f"{found.mean:+.3f} [{found.low:+.3f}, {found.high:+.3f}]"


# -- the command ------------------------------------------------------------------------------------------


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("where", choices=("worlds", "model"))
    parser.add_argument("--worlds", type=lambda text: text.split(","), default=list(WORLDS))
    parser.add_argument("--seeds", type=parse_seeds, help="400-409 in worlds, 0-2 on a model")
    parser.add_argument("--jobs", type=int, default=2, help="processes, for worlds")
    parser.add_argument("--model", default=MODELS["model"])
    parser.add_argument("--family", choices=FAMILIES, default="opposite")
    parser.add_argument("--tokens", type=int, default=10_000, help="what a training run on a model may use")
    parser.add_argument("--sizes", type=lambda text: Sizes(*map(int, text.split(","))), default=SIZES)
    parser.add_argument("--temperature", type=float, default=0.0, help="of the student")
    parser.add_argument("--runs", type=Path, metavar="FOLDER", help="where the run folders of a model go")
    parser.add_argument("--markdown", action="store_true")
    given = parser.parse_args()
    if given.where == "model" and given.runs is None:
        parser.error("say with --runs where the run folders go: the same command then goes on after a stop")
    return given


def main() -> None:
    asked = arguments()
    asked.seeds = asked.seeds or (FRESH if asked.where == "worlds" else range(3))
    show = partial(table, markdown=asked.markdown)
    if asked.where == "worlds":
        print(show(head("world", list(ON_WORLDS)), on_worlds(asked.worlds, asked.seeds, asked.jobs)))
        return
    model = TightlyBounded(open_model(asked.model))
    budget = Budget(tokens=asked.tokens, rollouts=asked.tokens // CHEAPEST)
    plan = Plan(asked.sizes, asked.tokens // CHEAPEST, asked.temperature, "model", asked.runs)
    arms = asyncio.run(on_model(model, FAMILIES[asked.family], asked.seeds, budget=budget, plan=plan))
    runs = sorted((run.seed, arm, run) for arm, made in arms.items() for run in made)
    print(show(head("family", list(arms)), [row(asked.family, arms)]), end="\n\n")
    print(show(EACH, [each(arm, run) for _, arm, run in runs]))


if __name__ == "__main__":
    main()
