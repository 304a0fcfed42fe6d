"""ATIF as others wrote it, made to follow the format's rules without losing what was said.

Fields of wrong types are read for what they hold: arguments that are JSON in a text, observations that are
bare text, calls without ids. What cannot be read as what it should be goes into `extra["unreadable_fields"]`.
It knows the format's rules from `atif.py`, not where a file comes from.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace

from sharpen.traces.atif import part_problem, ref_problem
from sharpen.traces.lines import Loose, arguments_of
from sharpen.traces.telling import from_epoch, when
from sharpen.traces.trajectory import Content, Facts, Result, Step

Json = dict[str, object]

Test = Callable[[object], bool]


def _is(*kinds: type) -> Test:
    return lambda value: isinstance(value, kinds) and (not isinstance(value, bool) or kinds == (bool,))


def _list_of(*kinds: type) -> Test:
    is_item = _is(*kinds)
    return lambda value: isinstance(value, list) and all(map(is_item, value))


_TEXT, _WHOLE, _NUMBER, _OBJECT = _is(str), _is(int), _is(int, float), _is(dict)
_ROOT: dict[str, Test] = {
    "session_id": _TEXT,
    "trajectory_id": _TEXT,
    "notes": _TEXT,
    "continued_trajectory_ref": _TEXT,
    "extra": _OBJECT,
}
_AGENT: dict[str, Test] = {
    "name": _TEXT,
    "version": _TEXT,
    "model_name": _TEXT,
    "tool_definitions": _list_of(dict),
    "extra": _OBJECT,
}
_STEP: dict[str, Test] = {
    "model_name": _TEXT,
    "reasoning_effort": _is(str, int, float),
    "reasoning_content": _TEXT,
    "is_copied_context": _is(bool),
    "llm_call_count": _WHOLE,
    "extra": _OBJECT,
}
_CALL: dict[str, Test] = {"tool_call_id": _TEXT, "function_name": _TEXT, "arguments": _OBJECT}
_RESULT: dict[str, Test] = {"source_call_id": _TEXT, "extra": _OBJECT}
_METRICS: dict[str, Test] = {
    "prompt_tokens": _WHOLE,
    "completion_tokens": _WHOLE,
    "cached_tokens": _WHOLE,
    "cost_usd": _NUMBER,
    "prompt_token_ids": _list_of(int),
    "completion_token_ids": _list_of(int),
    "logprobs": _list_of(int, float),
    "extra": _OBJECT,
}
_FINAL: dict[str, Test] = {
    "total_prompt_tokens": _WHOLE,
    "total_completion_tokens": _WHOLE,
    "total_cached_tokens": _WHOLE,
    "total_cost_usd": _NUMBER,
    "total_steps": lambda value: _WHOLE(value) and isinstance(value, int) and value >= 0,
    "extra": _OBJECT,
}


def repaired(root: Mapping[str, object]) -> Json:
    """The object with every field of the type it should have, its steps counted from 1."""
    fixed = _typed(root, _ROOT)
    steps = [step for step in Loose(dict(root)).items("steps") if isinstance(step.value, dict)]
    fixed["agent"] = _agent(root.get("agent"))
    fixed["steps"] = [_step(number, step.mapping()) for number, step in enumerate(steps, 1)]
    fixed["subagent_trajectories"] = [
        repaired(inner.mapping()) for inner in Loose(dict(root)).items("subagent_trajectories")
    ]
    final = root.get("final_metrics")
    fixed["final_metrics"] = _typed(final, _FINAL) if isinstance(final, dict) else None
    return fixed


def mended(step: Step) -> Step:
    """The step as the format wants it; nothing that was said is lost."""
    calls = {call.tool_call_id for call in step.tool_calls}
    results = tuple(_mended_result(result, calls) for result in step.results)
    step = replace(step, results=results, message=_parts(step.message), timestamp=when(step.timestamp))
    if step.source == "agent":
        count = step.llm_call_count
        asked = step.metrics is not None or step.reasoning_content is not None
        wrong = count is not None and (count < 0 or (count == 0 and asked))
        return replace(step, llm_call_count=None) if wrong else step
    source = step.source if step.source in ("system", "user") else "system"
    return Step(
        source,
        step.message,
        step.timestamp,
        results=tuple(replace(result, source_call_id=None) for result in step.results),
        is_copied_context=step.is_copied_context,
        extra=_with_agent_fields(step),
    )


def _with_agent_fields(step: Step) -> Facts:
    """What only an agent's step may say, kept beside what this one said."""
    calls = [
        {"function_name": call.function_name, "arguments": dict(call.arguments)} for call in step.tool_calls
    ]
    said = {
        "model_name": step.model_name,
        "reasoning_content": step.reasoning_content,
        "tool_calls": calls or None,
    }
    return {**{name: value for name, value in said.items() if value is not None}, **step.extra}


def _mended_result(result: Result, calls: set[str]) -> Result:
    wrong = tuple(ref for ref in result.subagent_trajectory_ref if ref_problem(ref))
    extra = {**result.extra, "unresolved_sub_agents": [dict(ref) for ref in wrong]} if wrong else result.extra
    return Result(
        None if result.content is None else _parts(result.content),
        result.source_call_id if result.source_call_id in calls else None,
        tuple(ref for ref in result.subagent_trajectory_ref if not ref_problem(ref)),
        extra,
    )


def _parts(content: Content) -> Content:
    if isinstance(content, str):
        return content
    return tuple({"type": "text", "text": _words(part)} if part_problem(part) else part for part in content)


def _words(part: Facts) -> str:
    text = part.get("text")
    return text if isinstance(text, str) else json.dumps(dict(part), ensure_ascii=False, default=str)


def _agent(value: object) -> Json:
    if isinstance(value, str):
        return {"name": value, "version": "unknown"}
    agent = _typed(value if isinstance(value, dict) else {}, _AGENT)
    return {**agent, "name": agent.get("name") or "unknown", "version": agent.get("version") or "unknown"}


def _step(number: int, step: Json) -> Json:
    fixed, time = _typed(step, _STEP), step.get("timestamp")
    if isinstance(time, (int, float)) and not isinstance(time, bool):
        time = from_epoch(float(time)) if abs(time) < 1e11 else from_epoch(float(time), unit=1e-3)
    metrics = step.get("metrics")
    fixed |= {
        "step_id": number,
        "source": step["source"] if isinstance(step.get("source"), str) else "system",
        "message": _content(step.get("message")) or "",
        "timestamp": time if isinstance(time, str) else None,
        "tool_calls": [_call(number, place, call) for place, call in enumerate(_objects(step, "tool_calls"))],
        "observation": {"results": _results(step.get("observation"))},
        "metrics": _typed(metrics, _METRICS) if isinstance(metrics, dict) else None,
    }
    return fixed


def _call(number: int, place: int, call: Json) -> Json:
    if all(name in call and is_right(call[name]) for name, is_right in _CALL.items()):
        return _typed(call, {"extra": _OBJECT})
    function = call.get("function") if isinstance(call.get("function"), dict) else call
    named = Loose(function)
    name, extra = call.get("tool_call_id") or call.get("id"), call.get("extra")
    return {
        "tool_call_id": name if isinstance(name, str) else f"call-{number}-{place}",
        "function_name": named.text("function_name") or named.text("name") or "tool",
        "arguments": arguments_of(named.at("arguments")),
        "extra": extra if isinstance(extra, dict) else {},
    }


def _results(observation: object) -> list[Json]:
    holder = Loose(observation)
    listed = observation if isinstance(observation, list) else holder.at("results").value
    if not isinstance(listed, list):
        content = _content(holder.at("content").value if isinstance(observation, dict) else observation)
        return [{"content": content}] if content else []
    return [_result(item) for item in listed]


def _result(item: object) -> Json:
    if not isinstance(item, dict):
        return {"content": _content(item)}
    fixed = _typed(item, _RESULT)
    fixed["content"] = _content(item.get("content"))
    fixed["subagent_trajectory_ref"] = _objects(item, "subagent_trajectory_ref")
    return fixed


def _content(value: object) -> object:
    """Text, or parts; of anything else its JSON."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(part, dict) for part in value):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def _objects(value: Json, name: str) -> list[Json]:
    found = value.get(name)
    listed = found if isinstance(found, list) else [found]
    return [item for item in listed if isinstance(item, dict)]


def _typed(value: Mapping[str, object], tests: Mapping[str, Test]) -> Json:
    """The object; its fields of wrong types in `extra`."""
    wrong = {
        name: value[name]
        for name, is_right in tests.items()
        if value.get(name) is not None and not is_right(value[name])
    }
    fixed = {name: item for name, item in value.items() if name not in wrong}
    if not wrong:
        return fixed
    extra = fixed.get("extra")
    return {**fixed, "extra": {**(extra if isinstance(extra, dict) else {}), "unreadable_fields": wrong}}
