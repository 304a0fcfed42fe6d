"""The clients' payloads in one shape, and what odd ones come to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpen.clients import CLIENTS, SHORT_NAMES
from sharpen.hook import answer
from sharpen.hook.event import AFTER_TOOL, COMPACTED, LONGEST, LONGEST_LINE, PROMPTED, Event
from sharpen.hook.quick_json import dumps, loads
from sharpen.hook.rollout import TAIL, complete

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


@pytest.mark.parametrize(
    ("client", "what", "payload", "output", "code", "failed"),
    payloads.ENDINGS,
    ids=[f"{client}-{what}" for client, what, *_ in payloads.ENDINGS],
)
def test_endings_are_told_apart_in_each_clients_words(client, what, payload, output, code, failed):
    event = Event(client, payload)
    assert (event.output, event.exit_code, event.failed) == (output, code, failed)


def completed(path: Path, call: str = "call_1") -> tuple[int | None, bool | None, float]:
    event = Event("codex", {**payloads.CODEX, "transcript_path": str(path), "tool_use_id": call})
    complete(event)
    return event.exit_code, event.failed, event.seconds


def test_codex_says_the_exit_code_in_its_session_file_only(tmp_path):
    event = Event("codex", payloads.CODEX)
    assert (event.failed, event.exit_code) == (None, None)
    path = tmp_path / "rollout.jsonl"
    other = json.loads(json.dumps(payloads.CODEX_ITEM).replace("call_1", "call_2"))
    other["payload"]["item"]["exit_code"] = 0
    noise = '{"broken": "exit_code", "call_1": "exit_code'
    lines = [json.dumps(payloads.CODEX_ITEM), noise, json.dumps(other), '{"half": "call_1", "exit_code"']
    path.write_text("\n".join(lines))
    assert completed(path) == (3, True, 4.25)
    assert completed(path, "call_2") == (0, False, 4.25)
    assert completed(path, "call_3") == (None, None, 0.0)


def test_a_session_file_that_is_missing_compressed_or_a_folder_says_nothing(tmp_path):
    packed = tmp_path / "rollout.jsonl.zst"
    packed.write_bytes(b"\x28\xb5\x2f\xfd" + bytes(range(256)) * 40)
    for path in (tmp_path / "none", packed, tmp_path, Path("with\0nul")):
        assert completed(path) == (None, None, 0.0)


def test_the_session_file_is_read_from_its_end(tmp_path):
    path = tmp_path / "rollout.jsonl"
    with path.open("w") as stream:
        stream.write("x" * (TAIL + 1_000_000) + "\n")
        stream.write(json.dumps(payloads.CODEX_ITEM) + "\n")
    assert completed(path) == (3, True, 4.25)


def test_a_patch_and_a_file_tool_have_paths():
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** Add File: b.txt\n+z\n*** End Patch"
    event = Event("codex", {**payloads.CODEX, "tool_name": "apply_patch", "tool_input": {"command": patch}})
    assert (event.tool, event.paths) == ("edit", ("src/a.py", "b.txt"))
    wrote = Event(
        "claude-code", {"tool_name": "Write", "tool_input": {"file_path": "/w/c.rs", "content": "x"}}
    )
    assert (wrote.tool, wrote.paths) == ("edit", ("/w/c.rs",))


def test_an_edited_file_is_not_the_edits_output():
    response = {
        "filePath": "/w/a.py",
        "oldString": "x=1",
        "originalFile": "SECRET",
        "structuredPatch": ["-x"],
    }
    event = Event("claude-code", {"tool_name": "Edit", "tool_input": {}, "tool_response": response})
    assert "SECRET" not in event.output


def test_a_tool_that_calls_its_answer_an_error_has_failed():
    missed = {"llmContent": "Could not find", "error": {"message": "m", "type": "edit_no_occurrence_found"}}
    event = Event("gemini", {"tool_name": "replace", "tool_response": missed})
    assert (event.tool, event.failed) == ("edit", True)


def test_a_command_given_word_by_word_is_one_line():
    words = {"command": ["bash", "-lc", "make", 3]}
    assert Event("codex", {"tool_name": "shell", "tool_input": words}).command == "bash -lc make"


def test_long_output_keeps_both_ends_and_so_does_a_long_line():
    lines = "BEGIN\n" + "x\n" * 50_000 + "END"
    event = Event("codex", {**payloads.CODEX, "tool_response": lines})
    assert event.output.startswith("BEGIN")
    assert event.output.endswith("END")
    assert len(event.output) <= LONGEST
    one = Event("codex", {**payloads.CODEX, "tool_response": "HEAD" + "y" * 9_000 + "TAIL\nshort"}).output
    assert max(map(len, one.split("\n"))) <= LONGEST_LINE
    assert one.startswith("HEAD")
    assert one.endswith("TAIL\nshort")


def test_every_event_that_a_client_is_told_to_send_is_known():
    speaking = {client.name: client.hooks for client in CLIENTS.values() if client.hooks}
    assert set(speaking) == set(answer.CLIENTS)
    assert answer.SHORT_NAMES == SHORT_NAMES
    for hooks in speaking.values():
        if hooks.format != "plugin":  # OpenCode's names them itself
            assert set(hooks.after) <= {*AFTER_TOOL, *PROMPTED}
            assert set(hooks.compacted) <= {*COMPACTED}


@given(st.dictionaries(st.sampled_from([*payloads.CLAUDE_WORKED, *payloads.KIMI]), json_values))
def test_no_payload_is_an_error(payload):
    for client in ("claude-code", "codex", "gemini", "kimi", "opencode", "copilot"):
        Event(client, payload)


@given(json_values)
def test_what_is_written_reads_back(value):
    assert loads(dumps(value)) == value
    assert loads(dumps(value)) == json.loads(json.dumps(value))
