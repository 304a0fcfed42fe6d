"""ATIF's JSON objects turned into trajectory records, type by type.

A field of the wrong type is a UsageError that names it; a field the format does not know goes into `extra`.
The format's own rules are `atif.py`'s business.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from types import UnionType
from typing import TypeVar

from sharpen.errors import UsageError
from sharpen.traces.trajectory import (
    Agent,
    Content,
    Facts,
    FinalMetrics,
    Metrics,
    Result,
    Step,
    ToolCall,
    Trajectory,
)

Json = Mapping[str, object]
T = TypeVar("T")
NUMBER = int | float


def checked(value: object, kind: type[T], what: str) -> T:
    """The value, once it is known to be of that type; true and false are no numbers."""
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise UsageError(f"{what} must be {kind.__name__}, not {type(value).__name__}")
    return value


def trajectory_of(root: Json) -> Trajectory:
    steps = _objects(root, "steps")
    for number, step in enumerate(steps, 1):
        if step.get("step_id") != number:
            raise UsageError(f"step {number} carries the step_id {step.get('step_id')!r}; they count from 1")
    final = root.get("final_metrics")
    return Trajectory(
        agent=_agent(_object(root, "agent")),
        steps=tuple(step_of(step) for step in steps),
        session_id=_optional(root, "session_id", str),
        trajectory_id=_optional(root, "trajectory_id", str),
        notes=_optional(root, "notes", str),
        final_metrics=_final(_object(root, "final_metrics")) if final is not None else None,
        continued_trajectory_ref=_optional(root, "continued_trajectory_ref", str),
        subagent_trajectories=tuple(trajectory_of(t) for t in _objects(root, "subagent_trajectories")),
        extra=_extra(root, Trajectory, "schema_version"),
    )


def _agent(value: Json) -> Agent:
    tools = _objects(value, "tool_definitions")
    return Agent(
        name=_required(value, "name", str),
        version=_required(value, "version", str),
        model_name=_optional(value, "model_name", str),
        tool_definitions=tools if value.get("tool_definitions") is not None else None,
        extra=_extra(value, Agent),
    )


def step_of(value: Json) -> Step:
    """One step from its JSON object."""
    observation = _object(value, "observation") if value.get("observation") is not None else {}
    metrics = value.get("metrics")
    return Step(
        source=_required(value, "source", str),  # type: ignore[arg-type]  # atif.check names a wrong one
        message=_content(value, "message") or "",
        timestamp=_optional(value, "timestamp", str),
        model_name=_optional(value, "model_name", str),
        reasoning_effort=_optional(value, "reasoning_effort", str | int | float),
        reasoning_content=_optional(value, "reasoning_content", str),
        tool_calls=tuple(_call(call) for call in _objects(value, "tool_calls")),
        results=tuple(_result(result) for result in _objects(observation, "results")),
        metrics=_metrics(_object(value, "metrics")) if metrics is not None else None,
        is_copied_context=_optional(value, "is_copied_context", bool),
        llm_call_count=_optional(value, "llm_call_count", int),
        extra=_extra(value, Step, "step_id", "observation"),
    )


def _call(value: Json) -> ToolCall:
    return ToolCall(
        tool_call_id=_required(value, "tool_call_id", str),
        function_name=_required(value, "function_name", str),
        arguments=_object(value, "arguments"),
        extra=_extra(value, ToolCall),
    )


def _result(value: Json) -> Result:
    return Result(
        content=_content(value, "content"),
        source_call_id=_optional(value, "source_call_id", str),
        subagent_trajectory_ref=_objects(value, "subagent_trajectory_ref"),
        extra=_extra(value, Result),
    )


def _metrics(value: Json) -> Metrics:
    return Metrics(
        prompt_tokens=_optional(value, "prompt_tokens", int),
        completion_tokens=_optional(value, "completion_tokens", int),
        cached_tokens=_optional(value, "cached_tokens", int),
        cost_usd=_optional(value, "cost_usd", NUMBER),
        prompt_token_ids=_numbers(value, "prompt_token_ids", int),
        completion_token_ids=_numbers(value, "completion_token_ids", int),
        logprobs=_numbers(value, "logprobs", NUMBER),
        extra=_extra(value, Metrics),
    )


def _final(value: Json) -> FinalMetrics:
    return FinalMetrics(
        total_prompt_tokens=_optional(value, "total_prompt_tokens", int),
        total_completion_tokens=_optional(value, "total_completion_tokens", int),
        total_cached_tokens=_optional(value, "total_cached_tokens", int),
        total_cost_usd=_optional(value, "total_cost_usd", NUMBER),
        total_steps=_optional(value, "total_steps", int),
        extra=_extra(value, FinalMetrics),
    )


def _required(value: Json, name: str, kind: type[T]) -> T:
    return checked(value.get(name), kind, name)


def _optional(value: Json, name: str, kind: type[T] | UnionType) -> T | None:
    found = value.get(name)
    if found is None:
        return None
    if not isinstance(found, kind) or (isinstance(found, bool) and kind is not bool):
        raise UsageError(f"{name} must be {getattr(kind, '__name__', kind)}, not {type(found).__name__}")
    return found


def _object(value: Json, name: str) -> Facts:
    return checked(value.get(name), dict, name)


def _objects(value: Json, name: str) -> tuple[Facts, ...]:
    found = value.get(name)
    return () if found is None else tuple(checked(item, dict, name) for item in checked(found, list, name))


def _numbers(value: Json, name: str, kind: type[T] | UnionType) -> tuple[T, ...] | None:
    found = value.get(name)
    if found is None:
        return None
    items = checked(found, list, name)
    if not all(isinstance(item, kind) and not isinstance(item, bool) for item in items):
        raise UsageError(f"{name} must be a list of numbers")
    return tuple(items)


def _content(value: Json, name: str) -> Content | None:
    found = value.get(name)
    return found if found is None or isinstance(found, str) else _objects(value, name)


def _extra(value: Json, record: type, *others: str) -> Facts:
    """The object's own `extra`, and beside it whatever fields the format does not know."""
    known = {field.name for field in fields(record)} | set(others)
    unknown = {name: item for name, item in value.items() if name not in known}
    extra = dict(_object(value, "extra")) if value.get("extra") is not None else {}
    return {**extra, "unknown_fields": unknown} if unknown else extra
