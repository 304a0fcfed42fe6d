"""One lane: look at a task the draft may fail, ask the teacher, check the edit where it should help.

Everything here is heuristic and tuned for few rollouts; nothing here can accept a skill. The thresholds and
their reasons are in docs/algorithm.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from sharpen.evaluate import Attempt, Call, Proposal, Question
from sharpen.skills import Edit, Skill, dedupe
from sharpen.train.crew import Steps
from sharpen.train.draft import Change, Draft
from sharpen.train.state import EditKeys, State
from sharpen.types import Rollout

FAILING, PASSING = 0.9, 0.15
"""Beliefs at which a probe is over."""
PROBES = 5
BAR, CAUTION = 2.5, 0.6
"""Standard errors an edit must gain on its task, and how many more per edit already tried there."""
HOPELESS = 0.8
"""Below this many standard errors an edit is dropped at once."""
PATIENCE = 8
"""Attempts per side at which a check must end."""
DUEL_TASKS = 16
"""Random train tasks on which a real trade-off is settled."""

Kind = Literal["passing", "unclear", "waiting", "nothing new", "dropped", "adopted", "not measured"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a lane ends with."""

    task: int
    kind: Kind
    changes: tuple[Change, ...] = ()
    keys: EditKeys = frozenset()
    count: float = 0.0
    mean: float = 0.0
    """The candidate's own record on the task, when adopted."""
    reason: str = ""


def explore(state: State, task: int) -> Steps[Finding]:
    """Probe, reflect, check; chain a second teacher call on a task that was tried before."""
    draft, tries = state.draft, state.beliefs.tries[task]
    verdict = yield from _probe(state, draft, task)
    if verdict != "failing":
        return Finding(task, verdict)
    evidence = state.failing[task][1]
    candidate = draft
    for _ in range(2 if tries >= 1 else 1):
        proposal = yield from _reflect(state, candidate, task, evidence)
        extended = candidate.plus(Change(edit, task) for edit in dedupe(proposal.edits))
        changes = difference(extended, draft) if extended else ()
        keys = frozenset(change.edit.key for change in changes)
        if extended is None or (draft.skill.digest, task, keys) in state.tried:
            return Finding(task, "nothing new")
        if keys in state.checking:
            return Finding(task, "waiting", keys=keys)
        state.checking[keys] = task
        state.tried.add((draft.skill.digest, task, keys))
        gain = yield from _check(state, extended.skill, draft.skill, task, bar=BAR + CAUTION * min(tries, 5))
        if gain is None:
            del state.checking[keys]
            return Finding(task, "not measured")
        if gain > 0:
            finding = yield from _adopt(state, draft, extended, task, gain)
            state.checking.pop(keys, None)
            return finding
        del state.checking[keys]
        candidate = extended
        last = state.failing.get(task)
        if last is None or last[0] != extended.skill.digest:
            break
        evidence = last[1]
    return Finding(task, "dropped", difference(candidate, draft), reason="no clear gain on its task")


def difference(candidate: Draft, draft: Draft) -> tuple[Change, ...]:
    """The changes that lead from the draft to the candidate; one taken out counts as its deletion."""
    added = tuple(c for c in candidate.changes if draft.index_of(c.edit) is None)
    gone = (c for c in draft.changes if candidate.index_of(c.edit) is None)
    return added + tuple(Change(Edit.delete(c.edit.content), c.witness) for c in gone)


def _attempt(state: State, skill: Skill, task: int, *, lineage: bool = False) -> Steps[float | None]:
    """One attempt; None when it measured nothing."""
    (answer,) = yield [Attempt(skill, state.train[task])]
    assert isinstance(answer, Rollout)
    return state.note(skill, task, answer, lineage=lineage)


def _probe(
    state: State, draft: Draft, task: int
) -> Steps[Literal["failing", "passing", "unclear", "not measured"]]:
    """Attempt the draft on the task until it is clear whether it fails there."""
    for _ in range(PROBES):
        value = yield from _attempt(state, draft.skill, task, lineage=True)
        if value is None:
            return "not measured"
        belief = state.beliefs.of(task)
        if belief < PASSING:
            return "passing"
        if belief > FAILING and task in state.failing and state.failing[task][0] == draft.skill.digest:
            return "failing"
    return "unclear"


def _reflect(state: State, candidate: Draft, task: int, evidence: Rollout) -> Steps[Proposal]:
    memory = "\n".join(state.refused.get(task, ())[-8:])
    question: Call = Question(candidate.skill, (evidence,), state.settings.edits, memory)
    (answer,) = yield [question]
    assert isinstance(answer, Proposal)
    quoting = [
        f"{edit['op']}: {edit['content']} ({edit['reason']})" for edit in answer.data.get("refused", ())
    ]
    state.refused.setdefault(task, []).extend(quoting)
    return answer


def _check(state: State, candidate: Skill, draft: Skill, task: int, *, bar: float) -> Steps[float | None]:
    """The gain on the task if the candidate is clearly better there, 0 if not, None if not measured."""
    least = 1 if state.meter.known else 2
    while True:
        tried, new = state.meter.seen(candidate.digest, task)
        held, old = state.meter.seen(draft.digest, task)
        if min(tried, held) >= least:
            z = (new - old) / math.sqrt(state.meter.variance_of(task) * (1 / tried + 1 / held))
            if z >= bar or (min(tried, held) >= PATIENCE and z >= bar - 0.5):
                return new - old
            if z < HOPELESS or min(tried, held) >= PATIENCE:
                return 0.0
        own = tried > held
        value = yield from _attempt(state, draft if own else candidate, task, lineage=own)
        if value is None:
            return None


def _adopt(state: State, draft: Draft, extended: Draft, task: int, gain: float) -> Steps[Finding]:
    """Drop edits the task does not need; make sure that a removed line is not needed elsewhere."""
    slim = yield from _minimise(state, draft, extended, task)
    for k, change in enumerate(draft.changes):
        if slim.index_of(change.edit) is None and change.witness not in (None, task):
            fair = yield from _may_remove(state, draft, slim, k)
            if not fair:
                return Finding(task, "dropped", difference(slim, draft), reason="another task needs the line")
    count, mean = state.meter.seen(slim.skill.digest, task)
    changes = tuple(Change(c.edit, task, gain) for c in difference(slim, draft))
    return Finding(task, "adopted", changes, count=count, mean=mean)


def _minimise(state: State, draft: Draft, extended: Draft, task: int) -> Steps[Draft]:
    """With several edits, leave each out once on the task; one that is not needed goes."""
    slim = extended
    for change in extended.changes:
        if draft.index_of(change.edit) is not None or len(slim.changes) - len(draft.changes) < 2:
            continue
        k = slim.index_of(change.edit)
        shorter = slim.without(k) if k is not None else None
        if shorter is None:
            continue
        _, reached = state.meter.seen(slim.skill.digest, task)
        enough = min(_near(state, task), reached - math.sqrt(state.meter.variance_of(task)))
        value = yield from _attempt(state, shorter.skill, task)
        if value is not None and value >= enough:
            slim = shorter
    return slim


def _near(state: State, task: int) -> float:
    """The least score that still looks like a solved task."""
    ceiling = state.meter.ceiling
    return ceiling - max(0.1, 1.5 * math.sqrt(state.meter.variance))


def _may_remove(state: State, draft: Draft, slim: Draft, k: int) -> Steps[bool]:
    """A line that goes must not be needed by its own witness; if it is, random tasks decide."""
    witness = draft.changes[k].witness
    lesser = draft.without(k)
    if witness is None or lesser is None:
        return True
    for _ in range(2 if state.meter.noisy else 1):
        value = yield from _attempt(state, lesser.skill, witness)
        if value is not None and value >= _near(state, witness):
            return True
    rng = state.stream("duel", len(state.tried))
    tasks = rng.sample(range(len(state.train)), min(DUEL_TASKS, len(state.train)))
    calls: list[Call] = [Attempt(s, state.train[i]) for i in tasks for s in (slim.skill, draft.skill)]
    answers = yield calls
    net = 0.0
    for i, ours, theirs in zip(tasks, answers[::2], answers[1::2], strict=True):
        assert isinstance(ours, Rollout)
        assert isinstance(theirs, Rollout)
        new, old = state.note(slim.skill, i, ours), state.note(draft.skill, i, theirs, lineage=True)
        if new is not None and old is not None:
            net += new - old
    return net > 0.5
