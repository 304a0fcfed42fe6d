"""Whatever is recorded in whatever order, both stores tell the same story, before and after reopening."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sharpen.skills import Edit
from sharpen.store import (
    AttemptKey,
    Evaluation,
    Event,
    MemoryStore,
    Proposal,
    ProposalKey,
    SqliteStore,
    Store,
    Version,
)
from sharpen.types import Estimate, Rollout, Task, Usage

Operation = Callable[[Store], None]

TASKS = [Task("t1", "one"), Task("t2", "two", {"x": [1]})]
few = st.integers(1, 3)
names = st.sampled_from(["a", "b", "é"])
texts = st.text(st.characters(), max_size=12)  # lone surrogates included
numbers = st.floats(0, 1)
values = st.dictionaries(
    st.text(max_size=3), st.none() | st.integers() | texts | st.lists(numbers), max_size=3
)
usages = st.none() | st.builds(Usage, few, few, few, st.none() | numbers)

tasks = st.sampled_from(TASKS)
scored = st.builds(
    lambda task, hard, soft, feedback, usage, trajectory: Rollout.scored(
        task, hard=hard, soft=soft, feedback=feedback, usage=usage, trajectory=trajectory
    ),
    tasks,
    st.sampled_from([0, 1, 0.5]),
    numbers,
    texts,
    usages,
    st.none() | values,
)
errors = st.builds(lambda task, reason: Rollout.failed_to_run(task, reason=reason), tasks, texts)
proposals = st.builds(Proposal, st.lists(st.builds(Edit.append, texts), max_size=2).map(tuple), usages, texts)
proposal_keys = st.builds(ProposalKey, names, names, few)
estimates = st.builds(Estimate, numbers, numbers, numbers, few, few)


def finish_attempt(skill: str, rollout: Rollout, trial: int, *, announced: bool) -> Operation:
    key = AttemptKey(skill, rollout.task.digest, "student", trial)

    def operate(store: Store) -> None:
        if announced:
            store.start([key])
        store.finish_attempt(key, rollout)

    return operate


operations = st.one_of(
    st.builds(finish_attempt, names, scored | errors, few, announced=st.booleans()),
    st.builds(
        lambda key, proposal: lambda store: store.finish_proposal(key, proposal), proposal_keys, proposals
    ),
    st.builds(
        lambda *fields: lambda store: store.add_version(Version(*fields)),
        names,
        st.none() | names,
        texts,
        st.lists(values, max_size=2).map(tuple),
        st.sampled_from(["start", "candidate", "accepted", "rejected"]),
    ),
    st.builds(
        lambda *fields: lambda store: store.add_evaluation(Evaluation(*fields)),
        names,
        names,
        names,
        estimates,
        values,
    ),
    st.builds(
        lambda *fields: lambda store: store.add_event(Event(*fields)),
        st.integers(1, 9),
        names,
        values,
        numbers,
    ),
    st.builds(lambda config: lambda store: store.set_config(config), values),
    st.builds(lambda result: lambda store: store.set_result(result), values),
)


def story(store: Store) -> dict[str, Any]:
    """Everything a store can be asked."""
    attempts = store.attempts()
    tasks_by_digest = {task.digest: task for task in TASKS}
    asked = [ProposalKey(teacher, about, n) for teacher in "abé" for about in "abé" for n in (1, 2, 3)]
    return {
        "attempts": attempts,
        "rollouts": [store.find_attempt(one.key, tasks_by_digest[one.key.task]) for one in attempts],
        "proposals": [store.find_proposal(key) for key in asked],
        "versions": store.versions(),
        "evaluations": store.evaluations(),
        "events": store.events(),
        "config": store.config(),
        "result": store.result(),
    }


@settings(max_examples=60, deadline=None)
@given(st.lists(operations, max_size=25), st.lists(operations, max_size=5))
def test_any_sequence_of_records_reads_the_same(first: list[Operation], later: list[Operation]) -> None:
    memory = MemoryStore()
    with TemporaryDirectory() as folder:
        for part in (first, later):
            disk = SqliteStore.open(Path(folder))
            for operate in part:
                operate(memory)
                operate(disk)
            assert story(disk) == story(memory)
            disk.close()
            reader = SqliteStore.read(Path(folder))
            assert story(reader) == story(memory)
            reader.close()
