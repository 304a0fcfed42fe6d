"""A trajectory as chat messages, the shape that trainers take: `{"messages": […]}` with tool calls and tool
results.

A tool's message must name a call of the message before it, so a result that names none is the user's.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from sharpen.traces.trajectory import Content, Step, Trajectory

Json = dict[str, object]


def conversation(trajectory: Trajectory) -> Json:
    """The trajectory as one object; steps that said, called and observed nothing are left out."""
    messages = [message for step in trajectory.steps for message in _messages(step)]
    return {"id": trajectory.trajectory_id or trajectory.session_id, "messages": messages}


def _messages(step: Step) -> Iterator[Json]:
    if step.source != "agent":
        yield {"role": step.source, "content": _text(step.message)}
        yield from _results(step, named=False)
        return
    message: Json = {"role": "assistant", "content": _text(step.message)}
    if step.reasoning_content:
        message["reasoning_content"] = step.reasoning_content
    if step.tool_calls:
        message["tool_calls"] = [
            {
                "id": call.tool_call_id,
                "type": "function",
                "function": {
                    "name": call.function_name,
                    "arguments": json.dumps(dict(call.arguments), ensure_ascii=False),
                },
            }
            for call in step.tool_calls
        ]
    if message["content"] or len(message) > 2:
        yield message
    yield from _results(step, named=True)
    yield from _results(step, named=False)


def _results(step: Step, *, named: bool) -> Iterator[Json]:
    for result in step.results:
        text, call = _text(result.content or ""), result.source_call_id
        if named and call is not None:
            yield {"role": "tool", "tool_call_id": call, "content": text}
        elif not named and call is None and text:
            yield {"role": "user", "content": text}


def _text(content: Content) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", f"[{part.get('type')}]")) for part in content)
