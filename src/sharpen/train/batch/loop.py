"""The classic loop: roll out a batch, reflect on it, merge, apply several edits together, gate the step.

SkillOpt's shape behind the same surface as the default loop. It pays for a gate at every step, which is why
it is not the default; with `gate="strict"` it is the loop the published results were made with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sharpen.errors import SettingsError
from sharpen.evaluate import Proposal, Question
from sharpen.skills import Skill
from sharpen.train.batch.epochs import EpochEnd
from sharpen.train.batch.memory import Memory, step_digest
from sharpen.train.batch.merging import Merging, Pool
from sharpen.train.batch.probing import Probing
from sharpen.train.batch.reflecting import Reflected, Reflecting
from sharpen.train.batch.schedule import Batch, edit_budget, epoch_batches, steps_per_epoch
from sharpen.train.batch.updating import KINDS, Update, Updating, notes_of, with_notes, with_only
from sharpen.train.means import Means
from sharpen.train.noise import PRIOR_VARIANCE
from sharpen.types import Rollout, TaskSet, Verdict

ACTIONS = {"better": "accept_new_best", "not better": "reject", "not enough data": "skip_no_decision"}
CONTROL = {"schedule": "fixed", "teacher": "autonomous", "none": "none"}
"""SkillOpt's words for who limits the edits of a step."""
NO_LIMIT = 999


class BatchLoop:
    """One run of the classic loop."""

    def __init__(self, skill: Skill, tasks: TaskSet, means: Means) -> None:
        self.incumbent = skill
        self.variance = PRIOR_VARIANCE  # this loop does not repeat attempts, so it cannot tell
        self._means, self._runner, self._journal = means, means.runner, means.journal
        self._settings, self._batch, self._train = means.settings, means.settings.batch, tasks.train
        self._kind = KINDS[self._batch.mode]
        _refuse_what_the_teacher_cannot(means)
        self._memory = Memory()
        self._reflecting = Reflecting(means, self._kind)
        self._merging, self._updating = Merging(means, self._kind), Updating(means)
        self._probing, self._epoch_end = Probing(means), EpochEnd(means, self._train, self._memory)
        per_epoch = steps_per_epoch(self._batch, len(self._train))
        self._steps = per_epoch * self._batch.epochs if self._batch.epochs else None
        self._step, self._clean = 0, 0

    async def run(self) -> str:
        """Epochs until all are done, the budget is spent, or a whole one brought no failure."""
        reason = await self._epochs()
        await self._means.gate.close()
        return reason

    async def _epochs(self) -> str:
        epoch, previous = 0, None
        while self._batch.epochs is None or epoch < self._batch.epochs:
            epoch += 1
            self._memory.new_epoch()
            for number, batches in enumerate(self._steps_of(epoch), 1):
                if not await self._take_step(batches, epoch=epoch, step_in_epoch=number):
                    return "budget"
                if self._clean >= len(self._train):
                    return "converged"
            self.incumbent = await self._epoch_end.close(
                epoch, before=previous, now=self.incumbent, history=self._memory.steps
            )
            previous = self.incumbent
        return "epochs"

    def _steps_of(self, epoch: int) -> Iterator[list[Batch]]:
        """The batches of each step of an epoch."""
        batches = list(epoch_batches(self._batch, self._train, seed=self._settings.seed, epoch=epoch))
        width = self._batch.accumulation
        yield from (batches[start : start + width] for start in range(0, len(batches), width))

    async def _take_step(self, batches: Sequence[Batch], *, epoch: int, step_in_epoch: int) -> bool:
        """Roll out and reflect, merge, select, apply, gate. False when the budget ended it."""
        self._step += 1
        start = self.incumbent
        budget = edit_budget(self._batch, self._step, self._steps)
        reflected = [await self._reflect(batch, budget) for batch in batches]
        rollouts = [rollout for one in reflected for rollout in one.rollouts]
        failed = any(rollout.outcome == "failed" for rollout in rollouts)
        self._clean = 0 if failed else self._clean + len(rollouts)
        digest = step_digest(self._step, rollouts)
        record: dict[str, Any] = {
            "step": self._step,
            "epoch": epoch,
            "step_in_epoch": step_in_epoch,
            "skill": start.digest,
            "mode": self._batch.mode,
            "batches": [
                _batch_record(i, batch, one)
                for i, (batch, one) in enumerate(zip(batches, reflected, strict=True))
            ],
            "patches": [p.as_json(self._kind, i) for i, one in enumerate(reflected) for p in one.patches],
        }
        if not all(one.complete for one in reflected):
            return False
        patches = [patch for one in reflected for patch in one.patches]
        merged = await self._merging.merge(patches, start)
        decision = await self._decided_limit(rollouts, merged)
        allowed = self._allowed(budget, decision)
        chosen = await self._merging.select(merged, start, budget=allowed)
        notes = self._lapses(reflected)
        update = await self._candidate(chosen, notes)
        verdict = await self._judged(update)
        action = self._action(update, verdict, merged)
        digest["action"] = action
        if verdict is not None:
            digest["score_change"] = verdict.difference.mean if verdict.difference else None
            if not verdict.accepted:
                digest["rejected_edits"] = [dict(item) for item in chosen.items if "op" in item]
        self._memory.add(digest)
        self._journal.record(
            "step",
            **record,
            action=action,
            merged=merged.as_json(self._kind) if merged.items else None,
            ranked=chosen.as_json(self._kind) if merged.items else None,
            edit_budget=allowed,
            lr_control_mode=CONTROL[self._limit],
            lr_decision=decision,
            rewrite=update.record or None,
            appendix_notes=notes,
            digest=digest,
            candidate=update.skill.digest if update.skill else None,
            current=self.incumbent.digest,
        )
        return verdict is None or verdict.decision != "not enough data"

    async def _reflect(self, batch: Batch, budget: int) -> Reflected:
        """Attempts and reflections; with probing the reflections wait for what the probes found."""
        skill, memory = self.incumbent, self._memory.text()
        if not self._batch.deep_reflect:
            return await self._reflecting.on_batch(batch, skill, limit=budget, memory=memory)
        tried = await self._reflecting.on_batch(batch, skill, limit=budget, memory=memory, reflect=False)
        found = await self._probing.findings(tried.rollouts, skill, memory=memory, step=self._step)
        await self._reflecting.on_rollouts(tried, skill, limit=budget, memory=self._memory.text(found))
        return tried

    @property
    def _limit(self) -> str:
        return "teacher" if self._batch.schedule == "autonomous" else self._batch.limit

    def _allowed(self, budget: int, decision: dict[str, Any] | None) -> int:
        if self._limit == "none":
            return NO_LIMIT
        return int(decision["learning_rate"]) if decision else budget

    async def _decided_limit(self, rollouts: Sequence[Rollout], merged: Pool) -> dict[str, Any] | None:
        """What the teacher says a step may use, where it is asked; None leaves it to the schedule."""
        if self._limit != "teacher" or not merged.items:
            return None
        scores = [rollout.score for rollout in rollouts if rollout.score is not None]
        material = {
            "rollouts": len(scores),
            "hard": sum(score.hard for score in scores) / max(1, len(scores)),
            "soft": sum(score.soft for score in scores) / max(1, len(scores)),
            "items": [dict(item) for item in merged.items],
        }
        question = Question(
            self.incumbent, (), len(merged.items), self._memory.text(), matter="rate", material=material
        )
        (answer,) = await self._runner.run([question], reserve=self._means.plan.search)
        said = answer.data if isinstance(answer, Proposal) else {}
        rate = said.get("learning_rate")
        if isinstance(rate, bool) or not isinstance(rate, int) or rate < 0:
            return None
        return dict(said)

    def _lapses(self, reflected: Sequence[Reflected]) -> list[str]:
        """Rules that were there and not followed, as the reflections noted them."""
        if not self._batch.skill_aware:
            return []
        sides = ("fail",) if self._batch.appendix_source == "failure_only" else ("fail", "succ")
        said = (p.data.get("appendix_notes") for one in reflected for p in one.patches if p.side in sides)
        return [note for notes in said if isinstance(notes, list) for note in notes if isinstance(note, str)]

    async def _candidate(self, chosen: Pool, notes: Sequence[str]) -> Update:
        """The incumbent with the chosen items and, in its appendix, the notes."""
        update = Update(None)
        if chosen.items:
            update = await self._updating.candidate(chosen, self.incumbent, memory=self._memory.text())
        if not notes:
            return update
        noted = with_notes(update.skill or self.incumbent, notes)
        held, most = notes_of(noted), self._batch.consolidate_above
        if most and len(held) > most:
            noted = await self._consolidated(noted, held)
        return update if noted.digest == self.incumbent.digest else update.with_skill(noted)

    async def _consolidated(self, skill: Skill, notes: list[str]) -> Skill:
        question = Question(skill, (), len(notes), matter="consolidate", material={"notes": notes})
        (answer,) = await self._runner.run([question], reserve=self._means.plan.search)
        said = answer.data.get("notes") if isinstance(answer, Proposal) else None
        fewer = (
            [note for note in said if isinstance(note, str) and note.strip()]
            if isinstance(said, list)
            else []
        )
        return with_only(skill, fewer) if 0 < len(fewer) < len(notes) else skill

    async def _judged(self, update: Update) -> Verdict | None:
        if update.skill is None:
            return None
        verdict = await self._means.judge(
            update.skill, self.incumbent, changes=update.changes, of="step", step=self._step
        )
        if verdict.accepted:
            self.incumbent = update.skill
        return verdict

    def _action(self, update: Update, verdict: Verdict | None, merged: Pool) -> str:
        """SkillOpt's word for how a step ended."""
        if verdict is not None:
            forced = verdict.accepted and self._settings.gate == "none"
            return "force_accept" if forced else ACTIONS[verdict.decision]
        return "skip_no_rewrite" if merged.items and self._batch.mode != "patch" else "skip_no_patches"


def _refuse_what_the_teacher_cannot(means: Means) -> None:
    """A mode that only an adviser can carry out, asked for with a teacher that is none."""
    batch = means.settings.batch
    asked = {
        f"mode={batch.mode!r}": batch.mode != "patch",
        "limit='teacher'": batch.limit == "teacher" or batch.schedule == "autonomous",
        "deep_reflect": batch.deep_reflect,
        "meta_reflect": batch.meta_reflect,
    }
    wanted = [name for name, wants in asked.items() if wants]
    if wanted and not means.runner.advises:
        raise SettingsError(
            f"the batch loop was asked for {', '.join(wanted)}, which needs a teacher with an `advise` "
            "method, such as one that is a model"
        )


def _batch_record(index: int, batch: Batch, reflected: Reflected) -> dict[str, Any]:
    sides = [patch.side for patch in reflected.patches]
    return {
        "batch_idx": index,
        "batch_seed": batch.seed,
        "n_envs": len(batch.tasks),
        "hard": reflected.mean("hard"),
        "soft": reflected.mean("soft"),
        "n_failure_patches": sides.count("fail"),
        "n_success_patches": sides.count("succ"),
        "rows": reflected.rows,
    }
