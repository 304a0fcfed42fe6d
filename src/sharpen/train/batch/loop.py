"""The classic loop: roll out a batch, reflect on it, merge, apply several edits together, gate the step.

SkillOpt's shape behind the same surface as the default loop. It pays for a gate at every step, which is why
it is not the default; with `gate="strict"` it is the loop the published results were made with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Any

from sharpen.errors import SettingsError
from sharpen.evaluate import Proposal, Question
from sharpen.skills import Skill
from sharpen.train.batch.epochs import EpochEnd
from sharpen.train.batch.memory import Memory
from sharpen.train.batch.merging import Merging
from sharpen.train.batch.probing import Probing
from sharpen.train.batch.reflecting import Reflected, Reflecting
from sharpen.train.batch.schedule import Batch, edit_budget, epoch_batches, steps_per_epoch
from sharpen.train.batch.step import Step
from sharpen.train.batch.updating import KINDS, Update, Updating, notes_of, with_notes, with_only
from sharpen.train.means import Means
from sharpen.train.noise import PRIOR_VARIANCE
from sharpen.types import Json, TaskSet

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
        self._taken = 0
        self._solved: set[str] = set()

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
                if not await self._take_step(batches, epoch=epoch, in_epoch=number):
                    return "budget"
                if len(self._solved) == len(self._train):
                    return "converged"
            self.incumbent = await self._epoch_end.close(
                epoch,
                before=previous,
                now=self.incumbent,
                history=self._memory.steps,
                last=epoch == self._batch.epochs,
            )
            previous = self.incumbent
        return "epochs"

    def _steps_of(self, epoch: int) -> Iterator[list[Batch]]:
        """The batches of each step of an epoch."""
        batches = list(epoch_batches(self._batch, self._train, seed=self._settings.seed, epoch=epoch))
        width = self._batch.accumulation
        yield from (batches[start : start + width] for start in range(0, len(batches), width))

    async def _take_step(self, batches: Sequence[Batch], *, epoch: int, in_epoch: int) -> bool:
        """Roll out and reflect, merge, select, apply, gate. False when the budget ended it."""
        self._taken += 1
        step = Step(self._taken, epoch, in_epoch, self.incumbent, batches, self._kind)
        scheduled = edit_budget(self._batch, step.number, self._steps)
        if not self._runner.can_attempt(sum(len(b.tasks) for b in batches), reserve=self._means.plan.search):
            return False
        step.reflected = [await self._reflect(batch, scheduled) for batch in batches]
        if not step.complete:
            return False
        self._note_solved(step)
        step.merged = await self._merging.merge(step.patches, step.start)
        step.decision = await self._decided_limit(step, scheduled)
        step.limit = self._allowed(scheduled, step.decision)
        step.chosen = await self._merging.select(step.merged, step.start, budget=step.limit)
        step.notes = self._lapses(step)
        step.update = await self._candidate(step)
        if step.update.skill is not None:
            step.verdict = await self._means.judge(
                step.update.skill, step.start, changes=step.update.changes, of="step", step=step.number
            )
        self.incumbent = step.current
        self._memory.add(step.digest())
        self._journal.record(
            "step", **step.as_json(), mode=self._batch.mode, lr_control_mode=CONTROL[self._limit]
        )
        return True

    def _note_solved(self, step: Step) -> None:
        """Keep count of the tasks that were solved since one last failed."""
        if any(rollout.outcome == "failed" for rollout in step.rollouts):
            self._solved.clear()
        else:
            self._solved |= {rollout.task.id for rollout in step.rollouts if rollout.outcome == "solved"}

    async def _reflect(self, batch: Batch, budget: int) -> Reflected:
        """Attempts and reflections; with probing the reflections wait for what the probes found."""
        skill, memory = self.incumbent, self._memory.text()
        if not self._batch.deep_reflect:
            return await self._reflecting.on_batch(batch, skill, limit=budget, memory=memory)
        tried = await self._reflecting.on_batch(batch, skill, limit=budget, memory=memory, reflect=False)
        found = await self._probing.findings(tried.rollouts, skill, memory=memory, step=self._taken)
        await self._reflecting.on_rollouts(tried, skill, limit=budget, memory=self._memory.text(found))
        return tried

    @property
    def _limit(self) -> str:
        return "teacher" if self._batch.schedule == "autonomous" else self._batch.limit

    def _allowed(self, budget: int, decision: dict[str, Any] | None) -> int:
        if self._limit == "none":
            return NO_LIMIT
        return int(decision["learning_rate"]) if decision else budget

    async def _decided_limit(self, step: Step, scheduled: int) -> dict[str, Any] | None:
        """What the teacher says a step may use, where it is asked; the schedule's where it cannot say."""
        if self._limit != "teacher" or not step.merged.items:
            return None
        scores = [rollout.score for rollout in step.rollouts if rollout.score is not None]
        material = {
            "rollouts": len(scores),
            "hard": fmean(score.hard for score in scores) if scores else None,
            "soft": fmean(score.soft for score in scores) if scores else None,
            "items": [dict(item) for item in step.merged.items],
        }
        said = await self._ask("rate", step.start, len(step.merged.items), material)
        rate = said.get("learning_rate")
        if type(rate) is int and rate >= 0:
            return dict(said)
        return {"learning_rate": scheduled, "reasoning": "the schedule's: the teacher gave no usable answer"}

    def _lapses(self, step: Step) -> list[str]:
        """Rules that were there and not followed, as the reflections noted them."""
        if not self._batch.skill_aware:
            return []
        sides = ("fail",) if self._batch.appendix_source == "failure_only" else ("fail", "succ")
        said = (patch.data.get("appendix_notes") for patch in step.patches if patch.side in sides)
        return [note for notes in said if isinstance(notes, list) for note in notes if isinstance(note, str)]

    async def _candidate(self, step: Step) -> Update:
        """The skill with the chosen items and, in its appendix, the notes."""
        update = Update(None)
        if step.chosen.items:
            update = await self._updating.candidate(step.chosen, step.start, memory=self._memory.text())
        if step.notes:
            noted = with_notes(update.skill or step.start, step.notes)
            held, most = notes_of(noted), self._batch.consolidate_above
            if most and len(held) > most:
                noted = await self._consolidated(noted, held)
            update = update if noted.digest == step.start.digest else update.with_skill(noted)
        if update.skill is not None and self._means.leaks(update.skill.text, step.start):
            return Update(None)
        return update

    async def _consolidated(self, skill: Skill, notes: list[str]) -> Skill:
        said = (await self._ask("consolidate", skill, len(notes), {"notes": notes})).get("notes")
        listed = said if isinstance(said, list) else []
        fewer = [note for note in listed if isinstance(note, str) and note.strip()]
        return with_only(skill, fewer) if 0 < len(fewer) < len(notes) else skill

    async def _ask(self, matter: str, skill: Skill, limit: int, material: Json) -> Json:
        """The teacher's advice; nothing when it gave none that can be used."""
        question = Question(skill, (), limit, self._memory.text(), matter=matter, material=material)
        (answer,) = await self._runner.run([question], reserve=self._means.plan.search)
        return answer.data if isinstance(answer, Proposal) else {}


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
