"""The built-in teacher: fixed phrases, filled in from feedback and from worked examples. No model, no cost.

It knows the words of `tasks.formats.feedback` and no family of tasks: what an answer must look like comes
from the verifier or the task's own data, worked examples are train tasks whose data hold the `answer`. Which
phrase comes first depends on the task and the trial; which one helps, the training finds out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from sharpen.skills import Edit, Skill
from sharpen.tasks.formats.feedback import Fault, Feedback
from sharpen.types import Rollout, Task, Usage, digest_of

SHAPE = (
    "Answer with only {wanted}.",
    "Your answer must be {wanted}.",
    "Write {wanted} and nothing else.",
)
PHRASES: Mapping[Fault, tuple[str, ...]] = {
    "nothing": (*SHAPE, "Never leave the answer empty."),
    "surrounded": (*SHAPE, "Do not repeat the sentence.", "Do not explain the answer."),
    "misshapen": (*SHAPE, "Do not repeat the sentence.", "Keep the answer short."),
    "wrong": ("Copy the answer from the text, letter by letter.", "Read the text twice before you answer."),
    "not json": (*SHAPE, "Do not explain the answer."),
    "wrong keys": (*SHAPE, "Add no keys of your own."),
}
"""Rules that could mend each fault. Some wordings work on a given model and some do not."""


class Proposed(list[Edit]):
    """Edits with what they cost: nothing, for there was no call."""

    usage = Usage(calls=0, usd=0.0)


class PhrasebookTeacher:
    """Proposes one rule or worked example per attempt, never one that is in the skill or was refused.

    An attempt is never shown its own task as the example: that would give the answer away, look like a gain
    there, and teach nothing. So examples come from the train tasks given here, and from the other evidence.
    """

    def __init__(self, examples: Sequence[Task] = ()) -> None:
        self._examples = tuple(examples)
        self.quotes_answers = True  # worked examples are meant to
        self.fingerprint = f"phrasebook@1 {digest_of([task.digest for task in self._examples])[:16]}"

    async def propose(
        self, skill: Skill, evidence: Sequence[Rollout], *, limit: int, memory: str, trial: int
    ) -> list[Edit]:
        fresh: dict[str, Edit] = {}
        examples = [*self._examples, *(rollout.task for rollout in evidence)]
        for rollout in evidence:
            for line in _suggestions(rollout, examples, trial):
                if line not in skill.text and line not in memory:
                    fresh.setdefault(line, Edit("append", content=line, source_type="failure"))
                    break
        return Proposed(list(fresh.values())[:limit])


def _suggestions(rollout: Rollout, examples: Sequence[Task], trial: int) -> Iterator[str]:
    """All the phrasebook has to say about an attempt, beginning at a place that the attempt decides."""
    said = _feedback(rollout)
    if said is None:
        return
    lines = [phrase.format(wanted=said.wanted) for phrase in PHRASES[said.fault]]
    others = [task for task in examples if task.digest != rollout.task.digest and "answer" in task.data]
    draw = int(digest_of(rollout.task.digest, trial), 16)
    if others:
        lines.append(_worked(others[draw % len(others)]))
    first = draw % len(lines)
    yield from ("- " + line for line in lines[first:] + lines[:first])


def _feedback(rollout: Rollout) -> Feedback | None:
    """The verifier's words; for an answer it never saw, such as one cut off, what the task says it wants."""
    if rollout.score is None or rollout.outcome == "solved":
        return None
    wanted = rollout.task.data.get("wanted")
    unread = Feedback(wanted, "misshapen") if isinstance(wanted, str) else None
    return Feedback.parse(rollout.score.feedback) or unread


def _worked(task: Task) -> str:
    """The task with its right answer, on one line."""
    answer = task.data["answer"]
    right = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    return f"Example: {' '.join(task.prompt.split())} {right}"
