"""Deep reflection: before it proposes, the teacher may try things out on attempts it has seen.

A probe runs one task again, with a question at the end of its prompt, or with edits applied for that probe
alone. Probes are ordinary attempts: they cost what attempts cost and are kept like them. They go on for a
few turns, until the teacher asks for no more or the budget for the search ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sharpen.errors import EditError
from sharpen.evaluate import Attempt, Proposal, Question
from sharpen.skills import Edit, Skill, apply_edits
from sharpen.train.batch.telling import outcome_of
from sharpen.train.means import Means
from sharpen.types import Rollout, Task

TURNS = 3
PROBES = 4
"""Probes per turn."""


class Probing:
    """Asks the teacher for probes and makes them."""

    def __init__(self, means: Means) -> None:
        self._means, self._runner, self._batch = means, means.runner, means.settings.batch

    async def findings(self, rollouts: Sequence[Rollout], skill: Skill, *, memory: str, step: int) -> str:
        """What was found, as a text for the reflections that follow; empty when nothing was asked."""
        failed = [r for r in rollouts if r.outcome == "failed"][: self._batch.deep_failures]
        solved = [r for r in rollouts if r.outcome == "solved"][: self._batch.deep_successes]
        evidence, found = (*failed, *solved), list[dict[str, Any]]()
        tasks = {rollout.task.id: rollout.task for rollout in evidence}
        reserve = self._means.plan.search
        for turn in range(1, TURNS + 1):
            if not tasks:
                break
            material = {"turn": turn, "left": PROBES, "found": found}
            question = Question(skill, evidence, len(tasks), memory, matter="probe", material=material)
            (answer,) = await self._runner.run([question], reserve=reserve)
            asked = list(_probes(answer, tasks)) if isinstance(answer, Proposal) else []
            if not asked:
                break
            calls = [
                Attempt(_with(skill, probe["edits"]), _asking(tasks[probe["task"]], probe["question"]))
                for probe in asked
            ]
            made = await self._runner.run(calls, reserve=reserve)
            for probe, rollout in zip(asked, made, strict=True):
                if isinstance(rollout, Rollout):
                    found.append({**probe, **outcome_of(rollout)})
            self._means.journal.record("probe", step=step, turn=turn, probes=found[-len(asked) :])
            if None in made:
                break
        return "\n".join(map(_line, found))


def _probes(answer: Proposal, tasks: Mapping[str, Task]) -> Iterable[dict[str, Any]]:
    """The probes that name a task and change something."""
    for probe in answer.data.get("probes") or ():
        if not isinstance(probe, Mapping) or probe.get("task") not in tasks:
            continue
        question = str(probe.get("question") or "").strip()
        edits = [edit for edit in probe.get("edits") or () if _is_edit(edit)]
        if question or edits:
            yield {"task": probe["task"], "question": question, "edits": edits}


def _is_edit(value: object) -> bool:
    try:
        Edit.from_json(value)
    except EditError:
        return False
    return True


def _with(skill: Skill, edits: Sequence[object]) -> Skill:
    return apply_edits(skill, [Edit.from_json(edit) for edit in edits]).skill


def _asking(task: Task, question: str) -> Task:
    return replace(task, prompt=f"{task.prompt}\n\n{question}") if question else task


def _line(found: Mapping[str, Any]) -> str:
    changed = f"asked {found['question']!r}" if found["question"] else "with a changed skill"
    said = " ".join(str(found["answer"]).split())[:400]
    return f"- task {found['task']}, {changed}: {found['outcome']}. {found['feedback']} {said}".rstrip()
