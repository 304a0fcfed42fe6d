"""ATIF trajectories from 1.0 to 1.8, as Harbor and others write them, and the verdicts in Harbor's job
folders.

Reading is lenient: what breaks the format's rules is mended (`atif_mending.py`), and only what is no
trajectory at all is counted as unread. A trajectory below a trial's `agent/` folder has its verdict in
`verifier/` beside it. Definitions of tools are not kept.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from sharpen.errors import UsageError
from sharpen.traces.lines import Events, Loose, parsed
from sharpen.traces.parse import trajectory_of
from sharpen.traces.session import Spent
from sharpen.traces.sources.atif_mending import mended, repaired
from sharpen.traces.sources.format import Format, name_of
from sharpen.traces.telling import About, Ending, Relation, Sink, State
from sharpen.traces.trajectory import Trajectory

_OURS = (
    "project",
    "parent_session",
    "relation",
    "started",
    "ended_as",
    "errors",
    "reward",
    "skills_listed",
    "skills_used",
    "outcome",
    "failures",
    "corrections",
    "redactions",
)
_STATES: tuple[State, ...] = ("completed", "stopped", "failed")
_SMALL_FILE = 100_000  # bytes of a verdict


def tell(events: Events, sink: Sink, path: Path) -> None:
    names: Counter[str] = Counter()
    for event in events:
        try:
            trajectory = trajectory_of(repaired(event.mapping()))
        except UsageError:
            trajectory = None
        if trajectory is None or not trajectory.steps or not _fits(event):
            events.unread += 1
            continue
        name = trajectory.trajectory_id or _with_place(trajectory.session_id or name_of(path), path)
        names[name] += 1
        name = name if names[name] == 1 else f"{name}/{names[name]}"
        _tell(trajectory, sink, name=name, parent="", reward=reward_beside(path))


def _tell(trajectory: Trajectory, sink: Sink, *, name: str, parent: str, reward: float | None) -> None:
    extra = Loose(dict(trajectory.extra))
    relation: Relation = "sub-agent" if parent else "fork" if extra.text("relation") == "fork" else ""
    about = About(
        trajectory.agent.name,
        name,
        version=trajectory.agent.version,
        model=trajectory.agent.model_name or "",
        project=extra.text("project") or Loose(dict(trajectory.agent.extra)).text("cwd"),
        started=extra.text("started"),
        parent=parent or extra.text("parent_session"),
        relation=relation,
        facts=_facts(trajectory),
    )
    track = sink.begin(about)
    for number, step in enumerate(trajectory.steps):
        track.place(number, mended(step))
    state: State = next((state for state in _STATES if state == extra.text("ended_as")), "unknown")
    skills = tuple(skill.text() for skill in extra.items("skills_listed"))
    listed = skills if "skills_listed" in extra.mapping() else None
    judged = _number(extra.at("reward").value) if reward is None else reward
    errors = tuple(error.text() for error in extra.items("errors"))
    track.end(Ending(state, judged, _spent(trajectory), errors, skills_listed=listed))
    for place, inner in enumerate(trajectory.subagent_trajectories, 1):
        own = inner.trajectory_id or f"{name}/{place}"
        _tell(inner, sink, name=own, parent=name, reward=None)


def _with_place(session: str, path: Path) -> str:
    """The session's name for this file. Files of one trial may share a session: its continuations
    (`trajectory.cont-1.json`) and the steps of a trial that has several (`steps/NAME/agent/`)."""
    if path.parent.name != "agent":
        return session
    step = [path.parent.parent.name] if path.parent.parent.parent.name == "steps" else []
    return "/".join([session, *step, *path.name.split(".")[1:-1]])


def _facts(trajectory: Trajectory) -> dict[str, object]:
    facts: dict[str, object] = {
        "notes": trajectory.notes,
        "continued_in": trajectory.continued_trajectory_ref,
        "agent": dict(trajectory.agent.extra) or None,
    }
    own = {name: value for name, value in trajectory.extra.items() if name not in _OURS}
    return {**{name: value for name, value in facts.items() if value is not None}, **own}


def _spent(trajectory: Trajectory) -> Spent | None:
    final = trajectory.final_metrics
    if final is None:
        return None
    facts = {name: value for name, value in final.extra.items() if name != "model_calls"}
    spent = Spent(
        final.total_prompt_tokens,
        final.total_completion_tokens,
        final.total_cached_tokens,
        Loose(dict(final.extra)).whole("model_calls"),
        final.total_cost_usd,
        facts,
    )
    return spent if spent != Spent() else None


def reward_beside(path: Path) -> float | None:
    """What the verifier of a trial gave, where the file lies in a job folder of Harbor's.

    `reward.json` counts before `reward.txt`, as in Harbor; of several rewards the one called `reward` does.
    What the verifier left unreadable is no verdict. Without its folder the trial's `result.json` tells.
    """
    if path.parent.name != "agent":
        return None
    trial = path.parent.parent
    told = _read(trial / "verifier" / "reward.json")
    if told is not None:
        return _one_of(parsed(told))
    told = _read(trial / "verifier" / "reward.txt")
    if told is not None:
        try:
            return _number(float(told))
        except ValueError:
            return None
    result = Loose(parsed(_read(trial / "result.json")))
    return _one_of(result.at("verifier_result", "rewards").value)


def _read(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return file.read(_SMALL_FILE).decode("utf-8", "replace")
    except OSError:
        return None


def _one_of(rewards: object) -> float | None:
    if not isinstance(rewards, dict):
        return _number(rewards)
    only = next(iter(rewards.values())) if len(rewards) == 1 else None
    return _number(rewards.get("reward", only))


def _number(value: object) -> float | None:
    """A finite number; unlike a price, a reward may be negative."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e300:
        return None
    return float(value)


def _fits(first: Loose) -> bool:
    return first.text("schema_version").startswith("ATIF-v1.") and bool(first.items("steps"))


ATIF = Format(
    "atif",
    tell,
    _fits,
    layout="document",
)
