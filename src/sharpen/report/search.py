"""The search in a few sentences: what was adopted, dropped and vetted, tested in a group, weighed in a pool.

Of a batch run: what the leak check kept out, which answers could not be used, how often it probed.

All of it happened on the train split and proves nothing; it explains where the rollouts went.
"""

from __future__ import annotations

from collections.abc import Iterator

from sharpen.report.record import RunRecord
from sharpen.report.sentences import plural
from sharpen.types import Json


def search_of(record: RunRecord) -> tuple[str, ...]:
    return tuple(_sentences(record))


def group_verdict(data: Json) -> str:
    """What a group test found, with its standard error."""
    gain, error = float(data.get("gain") or 0), float(data.get("error") or 0)
    helps = "they do something" if data.get("helps") else "no help that would show"
    pairs = plural(int(data.get("pairs") or 0), "pair")
    return f"all together {gain:+.2f} ± {error:.2f} over {pairs}: {helps}"


def _sentences(record: RunRecord) -> Iterator[str]:
    counts = {
        "adopted into the draft": _edits(record, "adopt"),
        "dropped on their task": _edits(record, "drop"),
        "vetted out": sum(not event.data.get("stays", True) for event in record.of_kind("vet")),
    }
    if found := [f"{what}: {number:,}" for what, number in counts.items() if number]:
        yield f"Edits {', '.join(found)}."
    for event in record.of_kind("group"):
        edits = plural(len(event.data.get("edits") or ()), "edit")
        yield f"Group test of {edits} on train: {group_verdict(event.data)}."
    for event in record.of_kind("pool"):
        kept = len(event.data.get("edits") or ())
        considered = plural(int(event.data.get("considered") or 0), "edit")
        rounds = plural(int(event.data.get("rounds") or 0), "round")
        yield f"Pooled phase: {considered} weighed together in {rounds}, {kept} kept."
    yield from _batch_sentences(record)


def _batch_sentences(record: RunRecord) -> Iterator[str]:
    if refused := _edits(record, "refused"):
        kept_out = "was" if refused == 1 else "were"
        yield f"{plural(refused, 'edit')} {kept_out} refused by the leak check: they give answers away."
    patches = [patch for event in record.of_kind("step") for patch in event.data.get("patches") or ()]
    if dropped := sum(bool(patch.get("error")) for patch in patches):
        yield f"{dropped:,} of {plural(len(patches), 'reflection')} could not be used."
    if probes := sum(len(event.data.get("probes") or ()) for event in record.of_kind("probe")):
        yield f"{plural(probes, 'probe')} made before reflecting."


def _edits(record: RunRecord, kind: str) -> int:
    return sum(len(event.data.get("edits") or ()) for event in record.of_kind(kind))
