"""The whole process as a client starts it: what it prints, what it remembers, and that it never complains."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sharpen.hook.run import RULES

from . import payloads

RULE = [
    "shell",
    "boom-",
    {"id": "s/boom", "skill": "s", "output": r"boom-\w+", "exit": [3], "say": "A fact."},
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "home" / "project"
    write_rules(folder, RULE)
    return folder


def write_rules(folder: Path, *rules: object) -> None:
    path = folder / RULES
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(rule) + "\n" for rule in rules))


def hook(project: Path, client: str, payload: object, *options: str) -> subprocess.CompletedProcess[bytes]:
    given = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    home = project.parent
    environment = {**os.environ, "HOME": str(home), "SHARPEN_STATE": str(home / "state")}
    command = [sys.executable, "-m", "sharpen", "hook", client, *options]
    return subprocess.run(command, input=given, env=environment, cwd=home, capture_output=True, timeout=60)


def event(
    project: Path, base: dict[str, object] = payloads.CLAUDE_FAILED, **changes: object
) -> dict[str, object]:
    return {**base, "cwd": str(project), **changes}


def record(project: Path) -> list[str]:
    path = project.parent / "state/hooks/firings.jsonl"
    return [json.loads(line)["what"] for line in path.read_text().splitlines()] if path.exists() else []


def cool_down(project: Path, seconds: int) -> None:
    """Make what was said in a session that much older."""
    for path in project.parent.glob("state/hooks/*.said"):
        rows = [line.split("\t") for line in path.read_text().splitlines()]
        path.write_text("".join(f"{name}\t{float(at) - seconds}\n" for name, at in rows))


def test_a_rule_that_applies_is_told_in_the_clients_format(project):
    done = hook(project, "claude-code", event(project))
    assert (done.returncode, done.stderr) == (0, b"")
    said = json.loads(done.stdout)["hookSpecificOutput"]
    assert said["hookEventName"] == "PostToolUseFailure"
    assert said["additionalContext"] == "Known from earlier sessions (s, rule s/boom): A fact."
    assert record(project) == ["fired"]


def test_the_record_holds_neither_command_nor_output(project):
    hook(project, "claude-code", event(project))
    told = (project.parent / "state/hooks/firings.jsonl").read_text()
    assert "okapi" not in told
    assert "exit 3" not in told


def test_rules_are_found_from_a_folder_inside_the_project(project):
    inner = project / "src" / "deep"
    inner.mkdir(parents=True)
    assert hook(project, "claude-code", event(inner)).stdout


def test_a_projects_rules_are_not_read_by_a_hook_of_the_home_and_the_other_way_round(project):
    assert hook(project, "claude-code", event(project), "--user").stdout == b""
    (project / RULES).unlink()
    write_rules(project.parent, RULE)
    assert hook(project, "claude-code", event(project)).stdout == b""
    assert hook(project, "claude-code", event(project), "--user").stdout


def test_a_plugin_names_its_rules(project, tmp_path):
    rules = tmp_path / "plugin.jsonl"
    rules.write_text(json.dumps(RULE) + "\n")
    (project / RULES).unlink()
    assert hook(project, "claude-code", event(project), "--rules", str(rules)).stdout


def test_codex_gets_its_exit_code_from_the_session_file(project, tmp_path):
    path = tmp_path / "rollout.jsonl"
    path.write_text(json.dumps(payloads.CODEX_ITEM) + "\n")
    told = event(project, payloads.CODEX, transcript_path=str(path))
    assert b"A fact." in hook(project, "codex", told).stdout
    assert hook(project, "codex", event(project, payloads.CODEX, session_id="other")).stdout == b""


def test_a_batch_of_calls_hears_it_once(project):
    with ThreadPoolExecutor(4) as pool:
        calls = [event(project, tool_use_id=f"toolu_{n}") for n in range(4)]
        said = list(pool.map(lambda call: hook(project, "claude-code", call).stdout, calls))
    assert sum(bool(text) for text in said) == 1
    assert record(project).count("fired") == 1


def test_a_rule_is_silent_while_it_cools_down_and_the_failure_is_counted(project):
    hook(project, "claude-code", event(project))
    cool_down(project, 10)
    assert hook(project, "claude-code", event(project)).stdout == b""
    cool_down(project, 300)
    assert hook(project, "claude-code", event(project)).stdout
    assert record(project) == ["fired", "again", "fired"]


def test_another_session_hears_it_again(project):
    hook(project, "claude-code", event(project))
    assert hook(project, "claude-code", event(project, session_id="second")).stdout


def test_after_compaction_everything_may_be_said_again(project):
    hook(project, "claude-code", event(project))
    compacted = {"session_id": "1f3c91d9", "cwd": str(project), "hook_event_name": "PreCompact"}
    assert hook(project, "claude-code", compacted).stdout == b""
    assert hook(project, "claude-code", event(project)).stdout


def test_kimi_hears_it_with_the_next_prompt(project):
    assert hook(project, "kimi", event(project, payloads.KIMI)).stdout == b""
    prompt = {"hook_event_name": "UserPromptSubmit", "session_id": "session_6100d29b", "cwd": str(project)}
    assert hook(project, "kimi", prompt).stdout.decode().strip().endswith("A fact.")
    assert hook(project, "kimi", prompt).stdout == b""


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"hook_event_name": 3}',
        b'{"tool_input": []}',
        b"[" * 100_000,
    ],
    ids=["empty", "cut", "list", "null", "bytes", "type", "arguments", "deep"],
)
def test_whatever_it_is_given_it_stays_silent_and_ends_well(project, payload):
    done = hook(project, "claude-code", payload)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_broken_rules_and_a_state_folder_that_cannot_be_written_disturb_nobody(project):
    (project / RULES).write_bytes(b'["shell", "boom-", {"output": "("}]\n\xff')
    (project.parent / "state").write_text("a file in its place")
    done = hook(project, "claude-code", event(project))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_an_error_is_noted_where_the_log_finds_it(project):
    write_rules(project, ["shell", "boom-", {"id": "s/boom", "output": "("}])
    hook(project, "claude-code", event(project))
    assert "error" in (project.parent / "state/hooks/errors.log").read_text()


def test_a_pattern_that_never_ends_is_ended(project):
    write_rules(project, ["shell", "boom-", {"id": "s/x", "output": r"(a+)+$", "say": "x"}])
    failing = event(project, error="Exit code 3\nboom-" + "a" * 40 + "!")
    done = hook(project, "claude-code", failing)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_nothing_heavy_is_imported():
    code = (
        "import sys, os; os._exit = lambda code: None\n"
        "from sharpen.hook.run import run_if_meant\n"
        "run_if_meant(['claude-code'])\n"
        "heavy = ('json', 're', 'typing', 'dataclasses', 'pathlib', 'typer', 'pydantic', 'sharpen.skills')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    given = json.dumps(event(Path("/"))).encode()
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], input=given, capture_output=True, env=_path(), check=True
    )
    assert done.stdout.strip() == b"[]"


def _path() -> dict[str, str]:
    return {"PYTHONPATH": str(Path(__file__).parents[2] / "src")}
