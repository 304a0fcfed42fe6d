"""A run folder that SkillOpt made itself: read for showing, never written.

Its files are its only record, and a killed SkillOpt leaves them half written: whatever is missing or cut
short is named in a sentence, and the rest is shown. Paths in `runtime_state.json` are absolute and go stale
when a folder moves, so they are never followed. SkillOpt writes keys into `config.json`, so of that file only
the fields named here are read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from sharpen.errors import RunFolderError
from sharpen.store.sqlite import DB_NAME
from sharpen.types import Json

MARKERS = ("history.json", "runtime_state.json", "skills/skill_v0000.md", "steps", "best_skill.md")
OURS = ("events.jsonl", DB_NAME)
"""Files that only sharpen writes."""
FACTS = {
    "env": "environment",
    "target_model": "target",
    "optimizer_model": "optimizer",
    "num_epochs": "epochs",
    "batch_size": "batch size",
    "seed": "seed",
    "skill_update_mode": "update mode",
    "gate_metric": "metric",
}
"""What is told of its configuration, under which name."""
SCORES = (
    "baseline_selection_hard",
    "best_selection_hard",
    "final_selection_hard",
    "baseline_test_hard",
    "test_hard",
    "final_test_hard",
)


@dataclass(frozen=True)
class SkillOptStep:
    """One record of its history; None is what the record does not say, 0.0 is a score."""

    step: int
    epoch: int | None
    action: str
    rollout_hard: float | None
    rollout_n: int | None
    merged: int | None
    used: int | None
    edit_budget: int | None
    score: float | None
    current_score: float | None
    best_score: float | None

    @property
    def accepted(self) -> bool:
        return "accept" in self.action


@dataclass(frozen=True)
class SkillOptRun:
    """What the folder tells."""

    run_dir: str
    name: str
    finished: bool
    facts: Mapping[str, object]
    steps: tuple[SkillOptStep, ...]
    slow_updates: Mapping[int, str]
    """How each epoch's slow update ended."""
    scores: Mapping[str, float | None]
    best_step: int | None
    best_origin: str
    best_skill: str | None
    start_skill: str | None
    tokens: Mapping[str, Mapping[str, int]]
    """Calls and tokens by stage; empty where none were written."""
    problems: tuple[str, ...]
    """What is missing, cut short or contradictory, a sentence each."""
    made_by: str = field(default="SkillOpt", init=False)

    def as_json(self) -> dict[str, Any]:
        return {"made_by": self.made_by, **asdict(self)}


def is_skillopt_run(folder: Path) -> bool:
    """Two of SkillOpt's files, and none that only sharpen writes."""
    if any((folder / name).exists() for name in OURS):
        return False
    return sum((folder / name).exists() for name in MARKERS) >= 2


def load_skillopt(run_dir: str | Path) -> SkillOptRun:
    """Read the folder; RunFolderError when it is not SkillOpt's."""
    folder = Path(run_dir)
    if not is_skillopt_run(folder):
        raise RunFolderError(
            f"{run_dir} is not a run folder: neither sharpen's {DB_NAME} nor SkillOpt's files"
        )
    return _Reading(folder).run(str(run_dir))


def skill_versions(folder: Path) -> Iterator[tuple[int, str]]:
    """`skills/skill_vNNNN.md`: the skill that held after each step, 0 the start; unreadable ones left out."""
    for path in sorted(folder.glob("skills/skill_v*.md")):
        number, text = path.stem.removeprefix("skill_v"), _text(path)
        if number.isdecimal() and text is not None:
            yield int(number), text


class _Reading:
    """The files, one after the other, with what was wrong with them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._problems: list[str] = []

    def run(self, run_dir: str) -> SkillOptRun:
        config, state = self._object("config.json"), self._object("runtime_state.json")
        summary = self._object("summary.json", absent="the run is unfinished, or ended before it was written")
        history = self._history()
        start = next((text for number, text in skill_versions(self._folder) if number == 0), None)
        if start is None:
            self._problems.append("skills/skill_v0000.md is missing: the starting skill is not known.")
        best = _text(self._folder / "best_skill.md")
        if best is None:
            self._problems.append("best_skill.md is missing or not UTF-8: the best skill is not known.")
        self._look_at_paths(state)
        self._look_for_doubles(history)
        last = history[-1] if history else {}
        return SkillOptRun(
            run_dir=run_dir,
            name=self._folder.resolve().name,
            finished=bool(summary),
            facts={told: config[key] for key, told in FACTS.items() if config.get(key) not in (None, "")},
            steps=tuple(map(_step, history)),
            slow_updates=self._slow_updates(),
            scores=self._scores(summary, state, last),
            best_step=_whole(_first(summary, state, last, key="best_step")),
            best_origin=str(_first(summary, state, last, key="best_origin") or ""),
            best_skill=best,
            start_skill=start,
            tokens=_tokens(summary, history),
            problems=tuple(self._problems),
        )

    def _object(self, name: str, *, absent: str = "what it held is not shown") -> Json:
        found = self._json(name, absent=absent)
        if isinstance(found, list):
            self._problems.append(f"{name} holds a list instead of an object; it was left out.")
        return found if isinstance(found, Mapping) else {}

    def _json(self, name: str, *, absent: str) -> object:
        path = self._folder / name
        found: object = None
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            self._problems.append(f"{name} is missing: {absent}.")
        except (OSError, ValueError) as error:
            self._problems.append(f"{name} cannot be read, it may be cut short ({error}); it was left out.")
        else:
            if not isinstance(found, (Mapping, list)):
                self._problems.append(f"{name} holds neither an object nor a list; it was left out.")
        return found

    def _history(self) -> list[Json]:
        """`history.json`; the records of the step folders where it does not serve."""
        found = self._json("history.json", absent="the records of the step folders are shown instead")
        if isinstance(found, Mapping):
            self._problems.append("history.json holds an object instead of a list; it was left out.")
        if isinstance(found, list):
            return [record for record in found if isinstance(record, Mapping)]
        names = sorted(self._folder.glob("steps/step_*/step_record.json"))
        records = (self._object(path.relative_to(self._folder).as_posix()) for path in names)
        return [record for record in records if record]

    def _look_at_paths(self, state: Json) -> None:
        named = [Path(str(state[key])) for key in ("current_skill_path", "best_skill_path") if state.get(key)]
        here = self._folder.resolve()
        if any(path.is_absolute() and not path.is_relative_to(here) for path in named):
            self._problems.append(
                "runtime_state.json names files in another folder: this one was moved or copied. "
                "The files here are shown; SkillOpt would resume from the others."
            )

    def _look_for_doubles(self, history: Sequence[Json]) -> None:
        numbers = [record.get("step") for record in history]
        doubles = sorted({str(number) for number in numbers if numbers.count(number) > 1})
        if doubles:
            self._problems.append(
                f"history.json has several records of step {', '.join(doubles)}: the run was resumed "
                "from an earlier step than it had reached."
            )

    def _slow_updates(self) -> dict[int, str]:
        found = {}
        for path in sorted(self._folder.glob("slow_update/epoch_*/slow_result.json")):
            number = path.parent.name.removeprefix("epoch_")
            if number.isdecimal():
                result = self._object(path.relative_to(self._folder).as_posix())
                found[int(number)] = str(result.get("action") or "")
        return found

    def _scores(self, summary: Json, state: Json, last: Json) -> dict[str, float | None]:
        scores = {name: _number(summary.get(name)) for name in SCORES}
        if scores["best_selection_hard"] is None:
            scores["best_selection_hard"] = _number(_first(state, last, key="best_score"))
        if scores["baseline_selection_hard"] is None:
            scores["baseline_selection_hard"] = self._mean_of("selection_eval_baseline/results.jsonl")
        return scores

    def _mean_of(self, name: str) -> float | None:
        """The mean of `hard` over the rows of an evaluation; rows that are cut short are named."""
        lines = (_text(self._folder / name) or "").splitlines()
        rows = [_row(line) for line in lines if line.strip()]
        if None in rows:
            self._problems.append(f"{name} has lines that cannot be read; the others are counted.")
        values = [value for row in rows if row and (value := _number(row.get("hard"))) is not None]
        return sum(values) / len(values) if values else None


def _step(record: Json) -> SkillOptStep:
    return SkillOptStep(
        step=_whole(record.get("step")) or 0,
        epoch=_whole(record.get("epoch")),
        action=str(record.get("action") or ""),
        rollout_hard=_number(record.get("rollout_hard")),
        rollout_n=_whole(record.get("rollout_n")),
        merged=_whole(record.get("n_edits_merged")),
        used=_whole(record.get("n_edits_ranked")),
        edit_budget=_whole(record.get("edit_budget")),
        score=_number(record.get("candidate_gate_score", record.get("selection_hard"))),
        current_score=_number(record.get("current_score")),
        best_score=_number(record.get("best_score")),
    )


def _tokens(summary: Json, history: Sequence[Json]) -> dict[str, dict[str, int]]:
    """By stage: the summary's, else the sum over the steps."""
    told = summary.get("token_summary")
    parts = [told] if isinstance(told, Mapping) else [record.get("tokens") for record in history]
    totals: dict[str, dict[str, int]] = {}
    for part in parts:
        for stage, counts in part.items() if isinstance(part, Mapping) else ():
            if stage != "_total" and isinstance(counts, Mapping):
                total = totals.setdefault(
                    str(stage), {"calls": 0, "prompt_tokens": 0, "completion_tokens": 0}
                )
                for name in total:
                    total[name] += _whole(counts.get(name)) or 0
    return dict(sorted(totals.items()))


def _first(*records: Json, key: str) -> object:
    """The first that says something; 0.0 is something."""
    return next((record[key] for record in records if record.get(key) is not None), None)


def _row(line: str) -> Json | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, Mapping) else None


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _whole(value: object) -> int | None:
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
