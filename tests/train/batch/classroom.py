"""A student that follows rules by name, and a scripted adviser that answers every matter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import sharpen
from sharpen import (
    BatchSettings,
    Budget,
    Edit,
    Rollout,
    Skill,
    Task,
    TaskSet,
    TrainResult,
    TrainSettings,
    Usage,
)
from sharpen.types import Advice, Json

KINDS = 5
START = Skill.from_text("# Skill\n\nBe exact.\n")
Answer = Callable[[Skill, Sequence[Rollout], Json], Json]


def rule(kind: int) -> str:
    return f"- RULE-{kind}: mind it."


def classroom(train: int = 40, selection: int = 20, test: int = 20) -> TaskSet:
    """Tasks of a few kinds, each needing one rule."""

    def some(split: str, count: int) -> list[Task]:
        return [Task(f"{split}-{n}", f"Task {n}", {"kind": n % KINDS}) for n in range(count)]

    return TaskSet(
        train=some("train", train), selection=some("selection", selection), test=some("test", test)
    )


class Pupil:
    """Solves a task when the skill holds the rule of its kind; what it was given is noted."""

    fingerprint = "pupil@1"

    def __init__(self) -> None:
        self.tried: list[tuple[str, str]] = []

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        self.tried.append((task.id, task.prompt))
        knows = rule(int(task.data["kind"])) in skill.text
        said = {"steps": [{"source": "agent", "message": f"answer to {task.id}"}]}
        return Rollout.scored(
            task,
            hard=int(knows),
            feedback="" if knows else f"no rule {task.data['kind']}: failed",
            trajectory=said,
            usage=Usage(10, 5),
        )


class Master:
    """Proposes the missing rules of the failures it sees; every other matter is answered as told."""

    def __init__(self, **answers: Answer | Json) -> None:
        self.answers = answers
        self.asked: Counter[str] = Counter()
        self.materials: list[tuple[str, Json, str]] = []
        self.evidence: list[tuple[str, ...]] = []

    async def propose(
        self, skill: Skill, evidence: Sequence[Rollout], *, limit: int, memory: str, trial: int
    ) -> list[Edit]:
        self.asked["edits"] += 1
        self.evidence.append(tuple(rollout.outcome for rollout in evidence))
        self.materials.append(("edits", {}, memory))
        kinds = dict.fromkeys(int(r.task.data["kind"]) for r in evidence if r.outcome == "failed")
        notes = [f"lapse {kind}" for kind in kinds]
        edits = [Edit.append(rule(kind)) for kind in list(kinds)[:limit]]
        return Said(edits, {"reasoning": "missing rules", "appendix_notes": notes})

    async def advise(
        self,
        matter: str,
        skill: Skill,
        evidence: Sequence[Rollout],
        *,
        material: Json,
        limit: int,
        memory: str,
        trial: int,
    ) -> Advice:
        self.asked[matter] += 1
        self.materials.append((matter, material, memory))
        answer = self.answers[matter.replace(" ", "_")]
        said = answer(skill, evidence, material) if callable(answer) else answer
        return Advice(said, Usage(20, 10))


class Said(list[Edit]):
    """Edits with what they cost and what was said beside them."""

    usage = Usage(30, 10)

    def __init__(self, edits: Iterable[Edit], data: Json) -> None:
        super().__init__(edits)
        self.data = data


def train(
    master: Any, *, rollouts: int = 1500, seed: int = 1, gate: str = "race", run_dir: Any = None, **batch: Any
) -> TrainResult:
    settings = TrainSettings(
        seed=seed,
        loop="batch",
        gate=gate,  # type: ignore[arg-type]
        batch=BatchSettings(**{"batch_size": 10, "minibatch": 4, "failure_only": True, **batch}),
    )
    return sharpen.train(START, classroom(), Pupil(), master, Budget(rollouts=rollouts), settings, run_dir)


def of_kind(result: TrainResult, kind: str) -> list[dict[str, Any]]:
    return [entry for entry in result.history if entry["kind"] == kind]
