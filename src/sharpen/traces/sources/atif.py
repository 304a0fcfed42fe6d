"""ATIF trajectories from 1.0 to 1.8, as Harbor and others write them, and the verdicts in Harbor's job
folders.

Reading is lenient: what breaks the format's rules is mended where that loses nothing (numbers of steps,
results that name no call), and only what is no trajectory at all is counted as unread. A trajectory below a
trial's `agent/` folder has its verdict in `verifier/reward.txt` or `reward.json` beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from sharpen.errors import UsageError
from sharpen.traces.lines import Events, Loose, parsed
from sharpen.traces.parse import trajectory_of
from sharpen.traces.session import Spent
from sharpen.traces.sources.format import Format, name_of
from sharpen.traces.telling import About, Ending, Relation, Sink, State, when
from sharpen.traces.trajectory import Content, Result, Step, Trajectory

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
    for event in events:
        try:
            trajectory = trajectory_of(_numbered(event.mapping()))
        except UsageError:
            events.unread += 1
            continue
        _tell(trajectory, sink, name=name_of(path), parent="", reward=_reward(path))


def _tell(trajectory: Trajectory, sink: Sink, *, name: str, parent: str, reward: float | None) -> None:
    extra = Loose(dict(trajectory.extra))
    own = trajectory.trajectory_id or trajectory.session_id or name
    relation: Relation = "sub-agent" if parent else "fork" if extra.text("relation") == "fork" else ""
    about = About(
        trajectory.agent.name,
        own,
        version=trajectory.agent.version,
        model=trajectory.agent.model_name or "",
        project=extra.text("project"),
        started=extra.text("started"),
        parent=parent or extra.text("parent_session"),
        relation=relation,
        facts=_facts(trajectory),
    )
    track = sink.begin(about)
    for number, step in enumerate(trajectory.steps):
        track.place(number, mended(step))
    state: State = next((state for state in _STATES if state == extra.text("ended_as")), "unknown")
    listed = (
        tuple(skill.text() for skill in extra.items("skills_listed")) if extra.at("skills_listed") else None
    )
    judged = extra.amount("reward") if reward is None else reward
    errors = tuple(error.text() for error in extra.items("errors"))
    track.end(Ending(state, judged, _spent(trajectory), errors, skills_listed=listed))
    for place, inner in enumerate(trajectory.subagent_trajectories):
        _tell(inner, sink, name=f"{own}/{place + 1}", parent=own, reward=None)


def mended(step: Step) -> Step:
    """The step as the format wants it; nothing that was said is lost."""
    calls = {call.tool_call_id for call in step.tool_calls}
    results = tuple(
        result if result.source_call_id in calls else replace(result, source_call_id=None)
        for result in step.results
    )
    step = replace(step, results=tuple(map(_mended_result, results)), message=_parts(step.message))
    step = replace(step, timestamp=when(step.timestamp))
    if step.source == "agent":
        silent = step.llm_call_count is not None and step.llm_call_count < 1
        return replace(step, llm_call_count=None) if silent else step
    source = step.source if step.source in ("system", "user") else "system"
    return Step(
        source,
        step.message,
        step.timestamp,
        results=tuple(replace(result, source_call_id=None) for result in step.results),
        is_copied_context=step.is_copied_context,
        extra=step.extra,
    )


def _mended_result(result: Result) -> Result:
    return result if result.content is None else replace(result, content=_parts(result.content))


def _parts(content: Content) -> Content:
    if isinstance(content, str):
        return content
    known = ("text", "image", "audio")
    return tuple(
        part if part.get("type") in known else {"type": "text", "text": str(part)} for part in content
    )


def _numbered(root: Mapping[str, object]) -> dict[str, object]:
    """The object with its steps counted from 1 and the fields that older versions left out."""
    steps, inner, agent = root.get("steps"), root.get("subagent_trajectories"), root.get("agent")
    fixed = dict(root)
    if isinstance(steps, list):
        fixed["steps"] = [
            {**step, "step_id": number} if isinstance(step, dict) else step
            for number, step in enumerate(steps, 1)
        ]
    if isinstance(inner, list):
        fixed["subagent_trajectories"] = [
            _numbered(each) if isinstance(each, dict) else each for each in inner
        ]
    if isinstance(agent, dict):
        fixed["agent"] = {"name": "unknown", "version": "unknown", **agent}
    return fixed


def _facts(trajectory: Trajectory) -> dict[str, object]:
    return {name: value for name, value in trajectory.extra.items() if name not in _OURS}


def _spent(trajectory: Trajectory) -> Spent | None:
    final = trajectory.final_metrics
    if final is None or final.total_prompt_tokens is None:
        return None
    facts = {name: value for name, value in final.extra.items() if name != "model_calls"}
    return Spent(
        final.total_prompt_tokens,
        final.total_completion_tokens or 0,
        final.total_cached_tokens or 0,
        Loose(dict(final.extra)).whole("model_calls"),
        final.total_cost_usd,
        facts,
    )


def _reward(path: Path) -> float | None:
    """What the trial's verifier gave, where the file lies in a job folder of Harbor's."""
    if path.parent.name != "agent":
        return None
    verifier = path.parent.parent / "verifier"
    for name in ("reward.txt", "reward.json"):
        try:
            text = (verifier / name).read_bytes()[:_SMALL_FILE].decode("utf-8", "replace")
        except OSError:
            continue
        value = parsed(text.strip())
        found = Loose(value).amount("reward") if isinstance(value, dict) else Loose(value).amount()
        if found is not None:
            return found
    return None


ATIF = Format(
    "atif",
    "ATIF trajectories and Harbor job folders",
    tell,
    lambda first: first.text("schema_version").startswith("ATIF-v1."),
    layout="document",
)
