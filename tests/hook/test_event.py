"""The clients' payloads in one shape, and what odd ones come to."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpen.hook.event import LONGEST, Event
from sharpen.hook.quick_json import dumps, loads
from sharpen.hook.rollout import exit_code

from . import payloads

FAILED = {
    "claude-code": payloads.CLAUDE_FAILED,
    "gemini": payloads.GEMINI,
    "kimi": payloads.KIMI,
    "opencode": payloads.OPENCODE,
    "copilot": payloads.COPILOT,
}
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(("client", "payload"), FAILED.items(), ids=list(FAILED))
def test_the_same_failure_reads_the_same_from_every_client(client, payload):
    event = Event(client, payload)
    assert (event.tool, event.command) == ("shell", "echo boom-okapi; exit 3")
    assert "boom-okapi" in event.output
    assert (event.failed, event.exit_code) == (True, 3)
    assert event.cwd == "/home/dev/work"
    assert event.session


def test_success_is_success():
    event = Event("claude-code", payloads.CLAUDE_WORKED)
    assert (event.failed, event.exit_code) == (False, 0)
    assert event.output == "boom-okapi\nand a warning"


def test_codex_says_the_exit_code_in_its_session_file_only(tmp_path):
    event = Event("codex", payloads.CODEX)
    assert (event.failed, event.exit_code) == (False, None)
    path = tmp_path / "rollout.jsonl"
    other = json.loads(json.dumps(payloads.CODEX_ITEM).replace("call_1", "call_2").replace("3", "7"))
    noise = '{"broken": "exit_code call_1'
    path.write_text("\n".join([json.dumps(payloads.CODEX_ITEM), noise, json.dumps(other)]) + "\n")
    assert exit_code(str(path), "call_1") == 3
    assert exit_code(str(path), "call_3") is None
    assert exit_code(str(tmp_path / "none"), "call_1") is None


def test_the_session_file_is_read_from_its_end(tmp_path):
    path = tmp_path / "rollout.jsonl"
    with path.open("w") as stream:
        stream.write("x" * 3_000_000 + "\n")
        stream.write(json.dumps(payloads.CODEX_ITEM) + "\n")
    assert exit_code(str(path), "call_1") == 3


def test_a_patch_and_a_file_tool_have_paths():
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** Add File: b.txt\n+z\n*** End Patch"
    event = Event("codex", {**payloads.CODEX, "tool_name": "apply_patch", "tool_input": {"command": patch}})
    assert (event.tool, event.paths) == ("edit", ("src/a.py", "b.txt"))
    wrote = Event(
        "claude-code", {"tool_name": "Write", "tool_input": {"file_path": "/w/c.rs", "content": "x"}}
    )
    assert (wrote.tool, wrote.paths) == ("edit", ("/w/c.rs",))


def test_long_output_keeps_both_ends():
    event = Event("codex", {**payloads.CODEX, "tool_response": "BEGIN" + "x" * 100_000 + "END"})
    assert event.output.startswith("BEGIN")
    assert event.output.endswith("END")
    assert len(event.output) <= LONGEST + 1


@given(st.dictionaries(st.sampled_from([*payloads.CLAUDE_WORKED, *payloads.KIMI]), json_values))
def test_no_payload_is_an_error(payload):
    for client in ("claude-code", "codex", "gemini", "kimi", "opencode", "copilot"):
        Event(client, payload)


@given(json_values)
def test_what_is_written_reads_back(value):
    assert loads(dumps(value)) == value
    assert loads(dumps(value)) == json.loads(json.dumps(value))
