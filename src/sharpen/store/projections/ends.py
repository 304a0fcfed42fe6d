"""The folders of whole evaluations: of the starting skill, the exported one, and where the loop ended.

    selection_eval_baseline/   final_selection_eval/   test_eval_baseline/   test_eval/   test_eval_final/

The baseline's selection scores are those that gates measured; the others are fresh passes at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sharpen.store.projections.files import Files
from sharpen.store.projections.measured import evaluation_files
from sharpen.store.records import AttemptRecord, Evaluation, Store
from sharpen.store.steps import by_skill, counted


def end_files(store: Store, attempts: Sequence[AttemptRecord], *, final: str) -> Files:
    """`final` is the skill the loop ended with, which need not be the one it exports."""
    tried = by_skill(attempts)
    for folder, evaluation in ends_of(store, final=final):
        own = counted(evaluation, tried[evaluation.skill])
        yield from evaluation_files(store, folder, own, skill=evaluation.skill, evaluation=evaluation)


def ends_of(store: Store, *, final: str) -> Iterator[tuple[str, Evaluation]]:
    """Each folder with what was measured for it; one that was not measured is left out."""
    measured = {(one.skill, one.split, one.purpose): one for one in store.evaluations()}
    start = next((one.digest for one in store.versions() if one.status == "start"), "")
    best = str((store.result() or {}).get("digest") or "")
    wanted = {
        "selection_eval_baseline": (start, "selection", "gate"),
        "final_selection_eval": (best, "selection", "final"),
        "test_eval_baseline": (start, "test", "test"),
        "test_eval": (best, "test", "test"),
        "test_eval_final": (final, "test", "test"),
    }
    for folder, key in wanted.items():
        if key in measured:
            yield folder, measured[key]
