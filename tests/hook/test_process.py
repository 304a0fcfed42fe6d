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
    command = [sys.executable, "-m", "sharpen", "hook", client, *options]
    return subprocess.run(
        command, input=given, env=at_home(project), cwd=project.parent, capture_output=True, timeout=60
    )


def at_home(project: Path) -> dict[str, str]:
    """The environment of a user whose home holds the project."""
    return {**os.environ, "HOME": str(project.parent), "SHARPEN_STATE": str(project.parent / "state")}


def event(
    project: Path, base: dict[str, object] = payloads.CLAUDE_FAILED, **changes: object
) -> dict[str, object]:
    return {**base, "cwd": str(project), **changes}


def gemini_looks(project: Path, trigger: str = "auto") -> dict[str, object]:
    """Gemini CLI asks itself before each request whether to compress."""
    return {
        **event(project, {}),
        "session_id": "a1585743",
        "hook_event_name": "PreCompress",
        "trigger": trigger,
    }


def record(project: Path) -> list[str]:
    path = project.parent / "state/hooks/firings.jsonl"
    return [json.loads(line)["what"] for line in path.read_text().splitlines()] if path.exists() else []


def errors(project: Path) -> list[tuple[str, str]]:
    path = project.parent / "state/hooks/errors.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return [(row["rule"], row["error"]) for row in rows]


def silent(done: subprocess.CompletedProcess[bytes]) -> bool:
    return (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def cool_down(project: Path, seconds: float) -> None:
    """Make what was said in a session that much older."""
    for path in project.parent.glob("state/hooks/*.said"):
        rows = [line.rsplit("\t", 3) for line in path.read_text().splitlines()]
        older = [(name, float(at) - seconds, float(seen) - seconds, sum_) for name, at, seen, sum_ in rows]
        path.write_text("".join("\t".join(map(str, row)) + "\n" for row in older))


def test_a_rule_that_applies_is_told_in_the_clients_format(project):
    done = hook(project, "claude-code", event(project))
    assert (done.returncode, done.stderr) == (0, b"")
    said = json.loads(done.stdout)["hookSpecificOutput"]
    assert said["hookEventName"] == "PostToolUseFailure"
    assert said["additionalContext"] == (
        "From the installed skill s (event rule s/boom, learnt in earlier sessions, "
        "not written by the user): A fact."
    )
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


def test_a_line_of_the_session_file_that_is_being_written_hides_no_other(project, tmp_path):
    path, item = tmp_path / "rollout.jsonl", json.dumps(payloads.CODEX_ITEM)
    path.write_text(f'{item}\n{item[:-1].rstrip("}")}, "cut')
    told = event(project, payloads.CODEX, transcript_path=str(path))
    assert b"A fact." in hook(project, "codex", told).stdout


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


def test_a_broken_rule_among_good_ones_silences_none_and_is_told(project):
    broken = ["shell", "boom-", {"id": "s/broken", "say": "x", "output": "("}]
    newer = ["shell", "boom-", {"id": "s/newer", "say": "x", "output": "boom", "phase": "moon"}]
    write_rules(project, broken, newer, RULE)
    with (project / RULES).open("ab") as stream:
        stream.write(b'["shell", "boom-", {"id": "s/half", "out\xff')
    done = hook(project, "claude-code", event(project))
    assert b"A fact." in done.stdout
    assert done.stderr == b""
    told = errors(project)
    assert ("s/newer", "UnknownRuleError: unknown conditions: phase") in told
    assert any(rule == "s/broken" and "unterminated subpattern" in error for rule, error in told)
    assert len(told) == 3


def test_a_pattern_that_python_warns_of_warns_no_agent(project):
    write_rules(project, ["shell", "boom-", {**RULE[2], "output": "[[b]oom"}])
    done = hook(project, "claude-code", event(project))
    assert b"A fact." in done.stdout
    assert done.stderr == b""


@pytest.mark.parametrize("what", ["folder", "gone", "empty", "binary"])
def test_a_rules_file_that_is_none_disturbs_nobody(project, what):
    path = project / RULES
    path.unlink()
    if what == "folder":
        path.mkdir()
    elif what != "gone":
        path.write_bytes(b"" if what == "empty" else bytes(range(256)) * 100)
    assert silent(hook(project, "claude-code", event(project)))


@pytest.mark.parametrize("place", ["state", "state/hooks"])
def test_a_state_folder_that_cannot_be_written_disturbs_nobody(project, place):
    path = project.parent / place
    path.parent.mkdir(exist_ok=True)
    path.write_text("a file in its place")
    assert silent(hook(project, "claude-code", event(project)))


def test_a_session_file_that_was_cut_forgets_only_what_was_cut(project):
    hook(project, "claude-code", event(project))
    (path,) = project.parent.glob("state/hooks/*.said")
    path.write_bytes(b"s/other\t17\n\xff\xfe\ts\tx\t\n" + path.read_bytes() + b"s/boom\t1.5")
    cool_down_is_on = hook(project, "claude-code", event(project))
    assert silent(cool_down_is_on)
    assert not errors(project)


@pytest.mark.parametrize("home", [None, "", "relative"])
def test_without_a_home_nothing_is_written_beside_the_project(project, home):
    environment = {
        name: value for name, value in os.environ.items() if name not in ("HOME", "XDG_STATE_HOME")
    }
    environment |= {"SHARPEN_STATE": str(project.parent / "state")} | ({} if home is None else {"HOME": home})
    command = [sys.executable, "-m", "sharpen", "hook", "claude-code"]
    given = json.dumps(event(project)).encode()
    done = subprocess.run(command, input=given, env=environment, cwd=project, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    assert sorted(path.name for path in project.iterdir()) == [".agents"]
    if home is None:
        assert b"A fact." in done.stdout


@pytest.mark.parametrize("closed", ["0<&-", ">&-", "2>&-", "0<&- >&- 2>&-"])
def test_closed_streams_disturb_nobody(project, closed):
    given = project.parent / "event.json"
    given.write_text(json.dumps(event(project)))
    line = f"{sys.executable} -m sharpen hook claude-code < {given} {closed}"
    done = subprocess.run(
        ["sh", "-c", line], env=at_home(project), cwd=project, capture_output=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, b"")
    for path in project.parent.glob("state/hooks/*"):
        assert b"hookSpecificOutput" not in path.read_bytes()


def test_a_full_disk_disturbs_nobody(project):
    """/dev/full takes no byte: as the file of firings it stands for a disk that is full."""
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    folder = project.parent / "state/hooks"
    folder.mkdir(parents=True)
    (folder / "firings.jsonl").symlink_to("/dev/full")
    (folder / "errors.jsonl").symlink_to("/dev/full")
    assert silent(hook(project, "claude-code", event(project)))


def test_an_output_of_ten_megabytes_is_looked_at_from_both_ends(project):
    done = hook(
        project, "claude-code", event(project, error="Exit code 3\n" + "x" * 10_000_000 + "\nboom-end")
    )
    assert b"A fact." in done.stdout


def test_an_event_that_is_too_long_is_taken_from_the_pipe_and_told(project):
    given = json.dumps(event(project, error="Exit code 3\nboom-x" + "x" * 70_000_000)).encode()
    assert silent(hook(project, "claude-code", given))
    (told,) = errors(project)  # a busy machine may be out of time before it is out of space
    assert told[1] in ("TooLongError: an event of more than 64 MB", "OutOfTime: no answer within 3 s")


def test_an_event_that_never_ends_is_given_up(project):
    command = [sys.executable, "-m", "sharpen", "hook", "claude-code"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, env=at_home(project)) as process:
        assert process.wait(timeout=60) == 0
        assert process.stdout is not None
        assert process.stdout.read() == b""
    assert errors(project) == [("", "OutOfTime: no answer within 3 s")]


@pytest.mark.parametrize(
    "pattern", [r"(a+)+$", r"(a|aa)+$", r"(?:a*)*c", r"(.*a){25}c", r"(a?){40}a{40}b", r"(\w+)*\1c"]
)
def test_a_pattern_that_never_ends_is_ended_and_told(project, pattern):
    write_rules(project, ["shell", "boom-", {"id": "s/x", "output": pattern, "say": "x"}])
    failing = event(project, error="Exit code 3\nboom-" + "a" * 60 + "!")
    assert silent(hook(project, "claude-code", failing))
    assert errors(project) == [("", "OutOfTime: no answer within 3 s")]


def test_the_log_of_errors_holds_nothing_of_the_event(project):
    hook(project, "claude-code", b'{"exit_code": ' + b"9" * 5_000 + b', "secret": "okapi"}')
    (told,) = errors(project)
    assert "999" not in str(told)


def test_a_folder_where_everybody_writes_is_no_project(project):
    shared = project.parent / "shared"
    write_rules(shared, RULE)
    shared.chmod(0o1777)
    inner = shared / "clone"
    inner.mkdir()
    assert silent(hook(project, "claude-code", event(inner)))


def test_a_sub_agent_has_not_heard_what_its_parent_has(project):
    assert hook(project, "claude-code", event(project)).stdout
    assert hook(project, "claude-code", event(project, agent_id="acc659b8")).stdout
    assert silent(hook(project, "claude-code", event(project, agent_id="acc659b8")))


def test_calls_of_one_batch_that_run_one_after_the_other_hear_it_once(project):
    """Claude Code runs the commands of one answer in turn: the second begins when the first has ended."""
    write_rules(project, ["shell", "boom-", {**RULE[2], "cooldown": 0}])
    assert hook(project, "claude-code", event(project, duration_ms=1_000)).stdout
    cool_down(project, 60)
    assert silent(hook(project, "claude-code", event(project, duration_ms=59_000)))
    cool_down(project, 60)
    assert silent(hook(project, "claude-code", event(project, duration_ms=59_500)))
    assert record(project) == ["fired"]
    cool_down(project, 60)
    assert hook(project, "claude-code", event(project, duration_ms=50_000)).stdout


def test_gemini_says_when_a_batch_is_over(project):
    write_rules(project, ["shell", "boom-", {**RULE[2], "cooldown": 0}])
    look = gemini_looks(project)
    assert silent(hook(project, "gemini", look))
    assert not list(project.parent.glob("state/hooks/*.said"))
    failing = event(project, payloads.GEMINI)
    assert hook(project, "gemini", failing).stdout
    cool_down(project, 60)
    assert silent(hook(project, "gemini", failing))
    assert silent(hook(project, "gemini", look))
    assert hook(project, "gemini", failing).stdout


def test_gemini_looking_whether_to_compress_has_not_compressed(project):
    look = gemini_looks(project)
    failing = event(project, payloads.GEMINI)
    assert hook(project, "gemini", failing).stdout
    hook(project, "gemini", look)
    assert silent(hook(project, "gemini", failing))
    assert record(project) == ["fired", "again"]
    hook(project, "gemini", gemini_looks(project, "manual"))
    assert hook(project, "gemini", failing).stdout


def test_a_session_of_many_batches_keeps_a_short_file(project):
    look = gemini_looks(project)
    hook(project, "gemini", event(project, payloads.GEMINI))
    for _ in range(3):
        hook(project, "gemini", look)
    (path,) = project.parent.glob("state/hooks/*.said")
    assert len(path.read_text().splitlines()) == 2


def test_a_name_of_several_lines_cools_down_like_any_other(project):
    write_rules(project, ["shell", "boom-", {**RULE[2], "id": "a\nb\tc\r\td"}])
    assert hook(project, "claude-code", event(project)).stdout
    cool_down(project, 10)
    assert silent(hook(project, "claude-code", event(project)))
    assert record(project) == ["fired", "again"]


def test_a_clock_that_was_set_back_does_not_silence_a_rule(project):
    hook(project, "claude-code", event(project))
    cool_down(project, -86_400)
    assert hook(project, "claude-code", event(project)).stdout


def test_files_of_old_sessions_are_removed_when_a_new_one_begins(project):
    folder = project.parent / "state/hooks"
    folder.mkdir(parents=True)
    for name in ("old.said", "old.held", "new.said", "firings.jsonl"):
        (folder / name).write_text("")
        if name != "new.said":
            os.utime(folder / name, (1, 1))
    hook(project, "claude-code", event(project))
    assert {path.name for path in folder.iterdir()} >= {"new.said", "firings.jsonl"}
    assert not list(folder.glob("old.*"))


def test_a_client_may_be_called_by_its_short_name(project):
    assert b"A fact." in hook(project, "claude", event(project)).stdout


def test_a_client_nobody_knows_hears_nothing_and_the_log_knows(project):
    for word in ("clippy", "claude-cod", "Log"):
        assert silent(hook(project, word, event(project)))
    known = "claude-code, codex, gemini, opencode, kimi, copilot"
    told = ("", f"UnknownClientError: no client is called that; known are {known}")
    assert errors(project) == [told] * 3


def test_an_event_that_is_no_json_is_told_as_that(project):
    for given in (b"hello", b'{"cut', b"[" * 100_000):
        assert silent(hook(project, "codex", given))
    assert errors(project) == [("", "NotJSONError: the event was no JSON")] * 3


@pytest.mark.parametrize(
    ("word", "told"),
    [("codex", b"is started by a coding agent"), ("clippy", b"no client is called clippy; known are claude")],
)
def test_at_a_terminal_somebody_gets_an_explanation(word, told):
    if not hasattr(os, "openpty"):
        pytest.skip("no terminals here")
    master, terminal = os.openpty()
    try:
        command = [sys.executable, "-m", "sharpen", "hook", word]
        done = subprocess.run(command, stdin=terminal, capture_output=True, timeout=60)
    finally:
        os.close(master)
        os.close(terminal)
    assert done.returncode == 2
    assert told in done.stderr
    assert b"`sharpen hook log`" in done.stderr


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
