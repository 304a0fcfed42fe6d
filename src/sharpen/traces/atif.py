"""Trajectories as JSON: written strictly as ATIF 1.8, read from 1.0 to 1.8.

Writing checks the format's rules first, so that a file we wrote loads anywhere. Reading takes fields it
does not know into `extra["unknown_fields"]` and refuses only what is no trajectory. It knows the format,
not who made the trajectory or what for.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from datetime import datetime
from typing import get_args

from sharpen.errors import UsageError
from sharpen.traces.parse import checked, trajectory_of
from sharpen.traces.trajectory import (
    Agent,
    Facts,
    FinalMetrics,
    Metrics,
    Result,
    Source,
    Step,
    ToolCall,
    Trajectory,
)

SCHEMA_VERSION = "ATIF-v1.8"
READABLE = tuple(f"ATIF-v1.{minor}" for minor in range(9))
AGENT_ONLY = ("model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics")
MEDIA_TYPES = {
    "image": tuple(f"image/{name}" for name in ("jpeg", "png", "gif", "webp")),
    "audio": tuple(f"audio/{name}" for name in ("wav", "mpeg", "mp4", "aac", "ogg", "flac", "webm", "aiff")),
}
PART_TYPES = ("text", *MEDIA_TYPES)

_SOURCE = {"media_type", "path", "duration_sec"}
_REF = {"trajectory_id", "trajectory_path", "session_id", "extra"}

Json = dict[str, object]


def to_json(trajectory: Trajectory) -> Json:
    """The trajectory as an ATIF 1.8 object of plain values; UsageError when it breaks the format's rules."""
    broken = list(check(trajectory))
    if broken:
        raise UsageError("this trajectory cannot be written as ATIF: " + "; ".join(broken[:5]))
    return _trajectory(trajectory)


def from_json(value: object) -> Trajectory:
    """A trajectory from parsed JSON; UsageError when it is none, names another format or breaks its rules."""
    root = checked(value, dict, "a trajectory")
    version = root.get("schema_version")
    if version not in READABLE:
        known = f"{READABLE[0]} to {READABLE[-1]}"
        raise UsageError(f"schema_version is {version!r}; {known} can be read")
    trajectory = trajectory_of(root)
    broken = list(check(trajectory))
    if broken:
        raise UsageError("this is not a valid ATIF trajectory: " + "; ".join(broken[:5]))
    return trajectory


def check(trajectory: Trajectory) -> Iterator[str]:
    """Every rule of the format that the trajectory breaks; a valid one yields nothing."""
    if not trajectory.steps:
        yield "it has no steps"
    for number, step in enumerate(trajectory.steps, 1):
        for problem in _step_problems(step):
            yield f"step {number}: {problem}"
    final = trajectory.final_metrics
    if final is not None and final.total_steps is not None and final.total_steps < 0:
        yield "total_steps is negative"
    seen: set[str] = set()
    for inner in trajectory.subagent_trajectories:
        if inner.trajectory_id is None or inner.trajectory_id in seen:
            yield f"sub-agent {inner.agent.name!r} needs a trajectory_id of its own"
        seen.add(inner.trajectory_id or "")
        yield from (f"sub-agent {inner.agent.name!r}: {problem}" for problem in check(inner))


def _step_problems(step: Step) -> Iterator[str]:
    if step.source not in get_args(Source):
        yield f"its source is {step.source!r}, not system, user or agent"
    if step.source != "agent":
        for name in AGENT_ONLY:
            if getattr(step, name) not in (None, ()):
                yield f"{name} belongs to agent steps only"
    if step.llm_call_count == 0 and step.source == "agent":
        if step.metrics is not None or step.reasoning_content is not None:
            yield "metrics and reasoning need at least one model call"
    elif step.llm_call_count is not None and step.llm_call_count < 0:
        yield "llm_call_count is negative"
    if step.timestamp is not None and not _is_iso(step.timestamp):
        yield f"the timestamp {step.timestamp!r} is not ISO 8601"
    calls = {call.tool_call_id for call in step.tool_calls}
    for result in step.results:
        if result.source_call_id is not None and result.source_call_id not in calls:
            yield f"a result names the call {result.source_call_id!r}, which is not in this step"
        yield from (problem for ref in result.subagent_trajectory_ref if (problem := ref_problem(ref)))
    if step.metrics is not None and not all(map(math.isfinite, step.metrics.logprobs or ())):
        yield "logprobs has a number that is not finite"
    for content in (step.message, *(result.content for result in step.results)):
        for part in content if isinstance(content, tuple) else ():
            if problem := part_problem(part):
                yield problem


def part_problem(part: Facts) -> str:
    """Why a content part is none; empty for one that is."""
    kind, source = part.get("type"), part.get("source")
    if kind not in PART_TYPES:
        return f"a content part has the type {kind!r}, not one of {', '.join(PART_TYPES)}"
    if kind == "text":
        is_right = set(part) == {"type", "text"} and isinstance(part["text"], str)
        return "" if is_right else "a text part has its words in `text`, and nothing else"
    if set(part) != {"type", "source"} or not isinstance(source, Mapping):
        return f"an {kind} part has a `source`, and nothing else"
    if source.get("media_type") not in MEDIA_TYPES[str(kind)] or not isinstance(source.get("path"), str):
        return f"the source of an {kind} part needs a path and one of {', '.join(MEDIA_TYPES[str(kind)])}"
    seconds = source.get("duration_sec", 0)
    is_length = isinstance(seconds, (int, float)) and 0 <= seconds < math.inf
    if set(source) - {"media_type", "path"} and (kind == "image" or set(source) - _SOURCE or not is_length):
        return f"the source of an {kind} part has fields that the format does not know"
    return ""


def ref_problem(ref: Facts) -> str:
    """Why a reference to a sub-agent's trajectory is none; empty for one that is."""
    if not any(isinstance(ref.get(name), str) for name in ("trajectory_id", "trajectory_path")):
        return "a reference to a sub-agent needs a trajectory_id or a trajectory_path"
    texts = (ref.get(name) for name in ("trajectory_id", "trajectory_path", "session_id"))
    extra = ref.get("extra")
    if set(ref) - _REF or any(not isinstance(text, (str, type(None))) for text in texts):
        return "a reference to a sub-agent has fields that the format does not know"
    return "" if isinstance(extra, (Mapping, type(None))) else "the extra of a reference is no object"


def _is_iso(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _trajectory(trajectory: Trajectory) -> Json:
    written = {"schema_version": SCHEMA_VERSION, **_fields(trajectory)}
    written["steps"] = [step_to_json(number, step) for number, step in enumerate(trajectory.steps, 1)]
    if trajectory.subagent_trajectories:
        written["subagent_trajectories"] = [_trajectory(t) for t in trajectory.subagent_trajectories]
    return written


def step_to_json(number: int, step: Step) -> Json:
    """One step as the format writes it; its rules are not checked here."""
    return _observed(number, step, _fields(step))


def _observed(number: int, step: Step, found: Json) -> Json:
    written = {"step_id": number, **found}
    written["message"] = found.get("message", step.message)
    results = written.pop("results", None)
    if results is not None:
        written["observation"] = {"results": results}
    return written


def step_text(number: int, step: Step) -> str:
    """The same as JSON text, for writing many."""
    return _ENCODER.encode(_observed(number, step, _unlike_default(step)))


def _fields(
    record: Trajectory | Step | ToolCall | Result | Metrics | FinalMetrics | Agent,
) -> Json:
    return {name: _plain(value) for name, value in _unlike_default(record).items()}


def _unlike_default(record: object) -> Json:
    """The record's fields that are not at their default. The format wants `arguments` even when empty."""
    written = {}
    for name, default in _DEFAULTS[type(record)]:
        value = getattr(record, name)
        if value is not default and (name == "arguments" or value != default):
            written[name] = value
    return written


_DEFAULTS: dict[type, tuple[tuple[str, object], ...]] = {
    kind: tuple(
        (field.name, field.default if field.default_factory is MISSING else field.default_factory())
        for field in fields(kind)
    )
    for kind in (Trajectory, Step, ToolCall, Result, Metrics, FinalMetrics, Agent)
}
_ENCODER = json.JSONEncoder(ensure_ascii=False, default=_unlike_default)


def _plain(value: object) -> object:
    """The value as JSON can say it: what it cannot (NaN, halves of surrogate pairs) is absent or replaced."""
    if isinstance(value, str):
        return (
            value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        )
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, (ToolCall, Result, Metrics, FinalMetrics, Agent, Step)):
        return _fields(value)
    if isinstance(value, Mapping):
        return {str(_plain(str(key))): _plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value if not isinstance(item, Trajectory)]
    return str(value)
