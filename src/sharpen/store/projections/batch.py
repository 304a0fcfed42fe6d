"""The files of a run of the batch loop that the other loop has no use for.

    steps/step_NNNN/        [batch_A/]rollout/ and patches/, merged_patch.json … trajectory_digest.json
    slow_update/epoch_NN/   meta_skill/epoch_NN/   meta_reflect/epoch_NN/
    skills/skill_vNNNN.md   the skill that held after step N; the end of an epoch replaces its last one
    lr_history.jsonl  refused_edits.json

An attempt is named in an event by task and trial; its row and its trajectory come from the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sharpen.skills import Skill, region_content
from sharpen.store.course import Course, CourseStep, EpochEnd, Offer
from sharpen.store.projections.files import Files, json_file, json_lines, markdown
from sharpen.store.projections.measured import evaluation_files, rollout_files
from sharpen.store.records import AttemptRecord, Store
from sharpen.store.step_records import PAYLOADS, step_record
from sharpen.store.steps import apply_report, task_mean
from sharpen.types import Json

SOURCES = {"fail": "failure", "succ": "success"}
CATEGORIES = {"persistent": "persistent_fail", "stable": "stable_success"}
"""SkillOpt's names; improved and regressed have the same."""
NOT_IN_PATCH = frozenset({"kind", "batch", "index", "patch", *PAYLOADS})


class BatchFiles:
    """The files of one batch run."""

    def __init__(self, store: Store, course: Course, attempts: Sequence[AttemptRecord]) -> None:
        self._store, self._course = store, course
        self._found = {(a.key.skill, a.task_id, a.key.trial): a for a in attempts if a.outcome is not None}
        metric = str(store.config().get("metric", "hard"))
        self.records = [step_record(course, step, self._rollouts(step), metric) for step in course.steps]
        """SkillOpt's history."""

    def files(self) -> Files:
        for number, skill in sorted(self._course.skills.items()):
            text = self._course.text(skill)
            if text is not None:
                yield skill_path(number), markdown(text)
        decided = [step for step in self._course.steps if step.data.get("lr_decision")]
        if decided:
            yield "lr_history.jsonl", json_lines(_lr_entry(step) for step in decided)
        if self._course.refused:
            yield "refused_edits.json", json_file(self._course.refused)
        for step, record in zip(self._course.steps, self.records, strict=True):
            yield from self._step(step, record)
        for end in self._course.ends:
            yield from self._end(end)

    def _step(self, step: CourseStep, record: Json) -> Files:
        folder, data = f"steps/step_{step.number:04d}", step.data
        for place, batch in self._places(folder, data):
            yield from rollout_files(self._store, f"{place}/rollout", self._rows(data.get("skill"), batch))
        yield from _patch_files(folder, data)
        told = {
            "merged_patch.json": data.get("merged"),
            "ranked_edits.json": data.get("ranked"),
            "lr_decision.json": data.get("lr_decision"),
            **_rewritten(data),
            "probes.json": step.probes,
            "trajectory_digest.json": data.get("digest"),
        }
        yield from ((f"{folder}/{name}", json_file(value)) for name, value in told.items() if value)
        if data.get("appendix_notes"):
            notes = {"step_notes": data["appendix_notes"], "appendix_after": self._appendix(step)}
            yield f"{folder}/appendix_notes.json", json_file(notes)
        yield from self._offer(folder, step.offer)
        yield f"{folder}/step_record.json", json_file(record)

    def _appendix(self, step: CourseStep) -> list[str]:
        """The notes in the skill that held after the step."""
        text = self._course.text(step.after.current) or ""
        lines = (region_content(Skill(text), "appendix") or "").splitlines()
        return [line.removeprefix("- ").strip() for line in lines if line.strip()]

    def _end(self, end: EpochEnd) -> Files:
        folder, data = f"{end.kind}/epoch_{end.epoch:02d}", end.data
        if end.kind == "slow_update":
            for place, skill, rows in (
                ("rollout_prev", data.get("previous"), data.get("rows_prev")),
                ("rollout_curr", data.get("current"), data.get("rows_curr")),
            ):
                if rows:
                    attempts = self._rows(skill, {"rows": rows})
                    yield from rollout_files(self._store, f"{folder}/{place}", attempts)
            yield from _pair_files(folder, data)
            yield f"{folder}/slow_result.json", json_file(_slow_result(end))
        elif end.kind == "meta_skill":
            yield f"{folder}/meta_skill_result.json", json_file(_meta_skill_result(end))
        else:
            told = {key: data.get(key) for key in ("epoch", "action", "edits", "candidate")}
            yield f"{folder}/meta_reflect_result.json", json_file(told)
        yield from self._offer(folder, end.offer)

    def _offer(self, folder: str, offer: Offer) -> Files:
        """The candidate, how its edits went in, and what its gate measured."""
        if offer.version is None:
            return
        yield f"{folder}/candidate_skill.md", markdown(offer.version.text)
        if offer.version.edits:
            yield f"{folder}/edit_apply_report.json", json_file(apply_report(offer.version))
        if offer.verdict or offer.evaluation:
            yield from evaluation_files(
                self._store,
                f"{folder}/selection_eval",
                offer.attempts,
                skill=offer.version.digest,
                evaluation=offer.evaluation,
            )

    def _places(self, folder: str, data: Json) -> Iterator[tuple[str, Json]]:
        """Each batch with its folder: SkillOpt makes one of its own only when there are several."""
        batches = data.get("batches") or ()
        for position, batch in enumerate(batches):
            yield (f"{folder}/batch_{position}" if len(batches) > 1 else folder), batch

    def _rollouts(self, step: CourseStep) -> list[AttemptRecord]:
        skill = step.data.get("skill")
        return [one for batch in step.data.get("batches") or () for one in self._rows(skill, batch)]

    def _rows(self, skill: object, batch: Json) -> list[AttemptRecord]:
        """The attempts that an event names; one that the store does not hold is left out."""
        keys = ((str(skill), str(row.get("id")), row.get("trial")) for row in batch.get("rows") or ())
        return [self._found[key] for key in keys if key in self._found]


def skill_path(number: int) -> str:
    return f"skills/skill_v{number:04d}.md"


def _lr_entry(step: CourseStep) -> dict[str, Any]:
    return {"step": step.number, "epoch": step.data.get("epoch"), **step.data["lr_decision"]}


def _rewritten(data: Json) -> dict[str, Any]:
    """The file of a rewriting mode, and what it holds."""
    if data.get("mode") != "full_rewrite_minibatch":
        return {"rewrite_result.json": data.get("rewrite")}
    chosen = {"selected_candidate": data.get("rewrite"), "merged_patch": data.get("ranked")}
    return {"full_rewrite_result.json": chosen if data.get("rewrite") else None}


def _patch_files(folder: str, data: Json) -> Files:
    several = len(data.get("batches") or ()) > 1
    for patch in data.get("patches") or ():
        place = f"{folder}/batch_{patch.get('batch', 0)}" if several else folder
        name = f"minibatch_{patch.get('kind', 'fail')}_{int(patch.get('index') or 0):03d}.json"
        yield f"{place}/patches/{name}", json_file(_raw_patch(patch))


def _raw_patch(patch: Json) -> dict[str, Any]:
    """SkillOpt's raw patch: what the analyst said, its proposals under `patch` in every mode."""
    proposed = {key: patch[key] for key in PAYLOADS if patch.get(key)}
    inner = patch.get("patch") or (
        {"reasoning": patch.get("reasoning", ""), **proposed} if proposed else None
    )
    told = {key: value for key, value in patch.items() if key not in NOT_IN_PATCH}
    source = SOURCES.get(str(patch.get("kind")), "failure")
    return {**told, **({"patch": inner} if inner else {}), "source_type": source}


def _pair_files(folder: str, data: Json) -> Files:
    pairs = [_pair(pair) for pair in data.get("pairs") or ()]
    if not pairs:
        return
    shown = set(map(str, data.get("shown") or ()))
    picked = [pair for pair in pairs if str(pair["id"]) in shown] if shown else pairs
    if len(picked) < len(pairs):
        yield f"{folder}/comparison_pairs_all.json", json_file(pairs)
    yield f"{folder}/comparison_pairs.json", json_file(picked)


def _pair(pair: Json) -> dict[str, Any]:
    category = str(pair.get("category"))
    return {
        "id": pair.get("id"),
        "category": CATEGORIES.get(category, category),
        "prev": pair.get("before"),
        "curr": pair.get("after"),
    }


def _slow_result(end: EpochEnd) -> dict[str, Any]:
    data, offer = end.data, end.offer
    result: dict[str, Any] = {"action": data.get("action"), "epoch": end.epoch}
    if data.get("rows_curr") or data.get("content"):
        result |= {
            "reasoning": data.get("reasoning", ""),
            "slow_update_content": data.get("content", ""),
            "prev_hard": _mean_hard(data.get("rows_prev") or ()),
            "curr_hard": _mean_hard(data.get("rows_curr") or ()),
            "candidate_hash": data.get("candidate"),
        }
    if offer.attempts:
        result["selection_hard"] = task_mean(offer.attempts, "hard")
        result["selection_soft"] = task_mean(offer.attempts, "soft")
    return result | ({"verdict": dict(offer.verdict)} if offer.verdict else {})


def _meta_skill_result(end: EpochEnd) -> dict[str, Any]:
    content = end.data.get("content", "")
    return {
        "action": "write_meta_skill" if content else "no_content",
        "epoch": end.epoch,
        "reasoning": end.data.get("reasoning", ""),
        "meta_skill_content": content,
    }


def _mean_hard(rows: Iterable[Mapping[str, Any]]) -> float | None:
    known = [float(row["hard"]) for row in rows if row.get("hard") is not None]
    return sum(known) / len(known) if known else None
