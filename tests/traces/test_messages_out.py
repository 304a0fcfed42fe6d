"""What is exported for training is what the provider's own client calls chat messages."""

from __future__ import annotations

import json

from hypothesis import given
from openai.types.chat import ChatCompletionMessageParam
from pydantic import TypeAdapter

from sharpen.traces import Agent, Result, Step, ToolCall, Trajectory
from sharpen.traces.messages_out import conversation

from .trajectories import alone

MESSAGES = TypeAdapter(list[ChatCompletionMessageParam])


@given(alone)
def test_messages_are_of_the_provider_s_types(trajectory):
    messages = json.loads(json.dumps(conversation(trajectory)["messages"]))
    MESSAGES.validate_python(messages)
    named: set[str] = set()
    for message in messages:
        if message["role"] == "tool":
            assert message["tool_call_id"] in named
        elif message["role"] == "assistant":
            named = {call["id"] for call in message.get("tool_calls", [])}


def test_results_that_name_no_call_are_the_user_s():
    call = ToolCall("c1", "bash", {"command": "ls"})
    steps = (
        Step("agent", "look", tool_calls=(call,), results=(Result("told"), Result("a b", "c1"))),
        Step("system", "note", results=(Result("seen"),)),
    )
    messages = conversation(Trajectory(Agent("a", "1"), steps))["messages"]
    assert [(message["role"], message["content"]) for message in messages] == [
        ("assistant", "look"),
        ("tool", "a b"),
        ("user", "told"),
        ("system", "note"),
        ("user", "seen"),
    ]
