"""What happens between epochs: guidance from a longer view, notes for the teacher, edits from the history.

The skill of the epoch before and the present one try the same train tasks, side by side. What improved, got
worse, still fails or still works is what the teacher sees. Guidance goes into the protected region and passes
the gate like any other change, unless the settings say otherwise; notes stay with the teacher.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sharpen.errors import EditError
from sharpen.evaluate import Proposal, Question
from sharpen.skills import Edit, Skill, apply_edits, region_content, with_region
from sharpen.train.batch.memory import Memory
from sharpen.train.batch.schedule import epoch_sample
from sharpen.train.batch.telling import outcome_of, row_of
from sharpen.train.draft import Change
from sharpen.train.means import Means
from sharpen.types import Json, Rollout, Task

CATEGORIES = {
    (False, True): "improved",
    (True, False): "regressed",
    (False, False): "persistent",
    (True, True): "stable",
}
CHANGED = frozenset({"improved", "regressed"})


class Pair(NamedTuple):
    """One task under the skill of the epoch before and under the present one."""

    task: Task
    before: Rollout
    after: Rollout

    @property
    def category(self) -> str:
        return CATEGORIES[self.before.outcome == "solved", self.after.outcome == "solved"]

    def as_json(self) -> dict[str, Any]:
        return {"id": self.task.id, "before": outcome_of(self.before), "after": outcome_of(self.after)}


class EpochEnd:
    """Everything that is done when an epoch is over."""

    def __init__(self, means: Means, tasks: Sequence[Task], memory: Memory) -> None:
        self._means, self._runner, self._journal = means, means.runner, means.journal
        self._batch, self._tasks, self._memory = means.settings.batch, tasks, memory

    async def close(
        self, epoch: int, *, before: Skill | None, now: Skill, history: Sequence[Json], last: bool
    ) -> Skill:
        """The skill to go on with; `before` is the one the epoch before ended with, if there was one."""
        if not self._runner.advises:
            return now
        pairs: list[Pair] = []
        earlier = before or now
        if before is not None and (self._batch.slow_update or self._batch.meta_skill):
            pairs = await self._compare(epoch, before, now)
        after = await self._slow_update(epoch, earlier, now, pairs) if self._batch.slow_update else now
        if self._batch.meta_skill and not last:
            await self._take_notes(epoch, earlier, now, pairs, history)
        return await self._meta_reflect(epoch, after, history) if self._batch.meta_reflect else after

    async def _compare(self, epoch: int, before: Skill, now: Skill) -> list[Pair]:
        """Both skills on the same tasks, all at once; one that has not changed tries them once.

        Pairs that could not be measured are left out.
        """
        sample = epoch_sample(
            self._tasks, self._batch.slow_update_samples, seed=self._means.settings.seed, epoch=epoch
        )
        arms = [now] if before.digest == now.digest else [before, now]
        calls = [(skill, task) for skill in arms for task in sample]
        with self._runner.stage("slow update"):
            made = await self._runner.attempts(calls, reserve=self._means.plan.search)
        count = len(sample)
        return [
            Pair(task, old, new)
            for task, old, new in zip(sample, made[:count], made[-count:], strict=True)
            if old is not None and new is not None and old.score is not None and new.score is not None
        ]

    async def _slow_update(self, epoch: int, before: Skill, now: Skill, pairs: Sequence[Pair]) -> Skill:
        shown = self._shown(pairs)
        record: dict[str, Any] = {
            "epoch": epoch,
            "previous": before.digest,
            "current": now.digest,
            "rows_prev": [row_of(pair.before, self._runner.last_trial(before, pair.task)) for pair in pairs],
            "rows_curr": [row_of(pair.after, self._runner.last_trial(now, pair.task)) for pair in pairs],
            "pairs": [{**pair.as_json(), "category": pair.category} for pair in pairs],
            "shown": [pair.task.id for pair in shown],
        }
        answer = await self._ask("slow update", now, self._comparison(before, now, shown)) if shown else None
        content = str(answer.data.get("slow_update_content") or "").strip() if answer else ""
        if self._means.leaks(content, now):
            content = ""
        candidate = with_region(now, "slow_update", content) if content else now
        if candidate.digest == now.digest:
            action = "no_content" if answer else "skip"
            self._journal.record("slow_update", **record, action=action, content=content, candidate=None)
            return now
        accepted, action = True, "force_accept"
        if self._batch.slow_update_gated:
            verdict = await self._means.judge(candidate, now, changes=(), of="slow_update")
            accepted, action = verdict.accepted, "accept" if verdict.accepted else "reject"
        else:
            self._means.admit(candidate, now)
        self._journal.record(
            "slow_update",
            **record,
            action=action,
            content=content,
            reasoning=str(answer.data.get("reasoning", "")) if answer else "",
            candidate=candidate.digest,
        )
        return candidate if accepted else now

    async def _take_notes(
        self, epoch: int, before: Skill, now: Skill, pairs: Sequence[Pair], history: Sequence[Json]
    ) -> None:
        notes = {"meta_skill": self._memory.meta_skill, "history": list(history)}
        answer = await self._ask(
            "meta skill", now, {**self._comparison(before, now, self._shown(pairs)), **notes}
        )
        content = str(answer.data.get("meta_skill_content") or "").strip() if answer else ""
        if answer and content:
            self._memory.meta_skill = content
            self._journal.record(
                "meta_skill", epoch=epoch, content=content, reasoning=str(answer.data.get("reasoning", ""))
            )

    async def _meta_reflect(self, epoch: int, now: Skill, history: Sequence[Json]) -> Skill:
        """Edits from the whole epoch, through the gate."""
        material = {"history": list(history), "meta_skill": self._memory.meta_skill}
        answer = await self._ask("meta reflect", now, material)
        edits = _edits(answer)[: self._batch.learning_rate] if answer else []
        applied = apply_edits(now, edits, first_occurrence=self._batch.first_match)
        told = [edit.to_json() for edit in edits]
        if not applied.changed or self._means.leaks(applied.skill.text, now):
            self._journal.record("meta_reflect", epoch=epoch, edits=told, candidate=None, action="skip")
            return now
        changes = [Change(edit) for edit in applied.applied]
        verdict = await self._means.judge(applied.skill, now, changes=changes, of="meta_reflect")
        self._journal.record(
            "meta_reflect",
            epoch=epoch,
            edits=told,
            candidate=applied.skill.digest,
            action="accept" if verdict.accepted else "reject",
        )
        return applied.skill if verdict.accepted else now

    async def _ask(self, matter: str, skill: Skill, material: Json) -> Proposal | None:
        limit = self._batch.learning_rate
        question = Question(skill, (), limit, self._memory.text(), matter=matter, material=material)
        (answer,) = await self._runner.run([question], reserve=self._means.plan.search)
        return answer if isinstance(answer, Proposal) and not answer.error else None

    def _shown(self, pairs: Sequence[Pair]) -> list[Pair]:
        policy = self._batch.pair_policy
        if policy == "mixed":
            return list(pairs)
        return [pair for pair in pairs if (pair.category in CHANGED) == (policy == "changed")]

    def _comparison(self, before: Skill, now: Skill, pairs: Sequence[Pair]) -> dict[str, Any]:
        sorted_in: dict[str, list[dict[str, Any]]] = {name: [] for name in CATEGORIES.values()}
        for pair in pairs:
            sorted_in[pair.category].append({**pair.as_json(), "prompt": pair.task.prompt})
        guidance = region_content(now, "slow_update") or ""
        return {"previous_skill": before.text, "guidance": guidance, "comparison": sorted_in}


def _edits(answer: Proposal) -> list[Edit]:
    """The edits among what the teacher sent; anything else is left out."""
    found = []
    for value in answer.data.get("edits") or ():
        try:
            found.append(Edit.from_json(value))
        except EditError:
            continue
    return found
