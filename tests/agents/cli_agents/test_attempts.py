"""One attempt: what the program gets to see, how its end is judged, and what is left of it afterwards."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from sharpen.errors import ProviderError, SettingsError, TaskError
from sharpen.skills import Skill
from sharpen.traces import from_json
from sharpen.types import Rollout, Task

from .players import DATA, ENDPOINT, SKILL, TASK, agent, attempt, program, says

SOLVED = f"cat {DATA}/codex_solved.jsonl"


def look(folder: Path, what: str) -> str:
    """A program that writes down what it sees, then plays a run that ends well."""
    return program(folder, f"({what}) > {folder}/seen 2>&1; {SOLVED}")


def seen(folder: Path) -> str:
    return (folder / "seen").read_text()


def test_a_run_is_scored_by_what_it_left_and_said(tmp_path):
    rollout = attempt(agent(program(tmp_path, f"touch out.txt; {SOLVED}")))
    assert rollout.outcome == "solved"
    assert rollout.score.feedback == "Done: wrote alpha.txt"
    assert (rollout.usage.input_tokens, rollout.usage.output_tokens) == (3060, 66)
    assert rollout.usage.model == "codex:m1"
    assert attempt(agent(program(tmp_path, SOLVED))).outcome == "failed"


def test_the_trajectory_is_valid_and_says_how_it_came_about(tmp_path):
    trajectory = from_json(attempt(agent(program(tmp_path, SOLVED))).trajectory)
    assert trajectory.steps[0].message == TASK.prompt
    assert trajectory.extra["score"] == {"hard": 0.0, "soft": 0.0}
    assert trajectory.extra["scorer"] == "file-there@1"
    assert trajectory.extra["skill"] == "rules"
    assert (trajectory.agent.name, trajectory.agent.model_name) == ("codex", "m1")


def test_the_task_is_laid_out_and_the_prompt_handed_over(tmp_path):
    attempt(agent(look(tmp_path, 'cat src/a.txt; pwd; for a in "$@"; do echo "<$a>"; done')))
    assert seen(tmp_path).startswith("A/")
    assert "<Create out.txt>" in seen(tmp_path)


def test_the_skill_lies_in_the_home_and_the_work_folder_stays_the_tasks_own(tmp_path):
    attempt(agent(look(tmp_path, "find . -type f; cat ~/.agents/skills/*/SKILL.md")))
    lines = seen(tmp_path).splitlines()
    assert lines[0] == "./src/a.txt"
    assert lines[1:4] == ["---", 'name: "rules"', 'description: "Rules: how tasks are done in this project. '
                          'Read it before starting any task."']  # fmt: skip
    assert "End every file with a newline." in lines


@pytest.mark.parametrize(
    ("skill", "settings"),
    [
        (Skill.from_text("# Rules\n"), {}),
        (Skill.from_text("# Rules\n\n<!-- nothing\nyet -->\n## More\n"), {}),
        (SKILL, {"with_skill": False}),
    ],
)
def test_an_empty_skill_or_none_is_the_same_run_without_it(tmp_path, skill, settings):
    attempt(agent(look(tmp_path, "find ~ -name SKILL.md"), **settings), skill=skill)
    assert seen(tmp_path) == ""


def test_a_skill_with_its_own_frontmatter_is_written_byte_for_byte(tmp_path):
    text = '---\nname: my-way\ndescription: "How I do it"\n---\n\nDo it my way.\n'
    attempt(agent(look(tmp_path, "cat ~/.agents/skills/my-way/SKILL.md")), skill=Skill.from_text(text))
    assert seen(tmp_path) == text


def test_a_named_skill_is_named_the_clients_way(tmp_path):
    attempt(agent(look(tmp_path, 'for a in "$@"; do echo "<$a>"; done'), invocation="named"))
    assert "<$rules Create out.txt>" in seen(tmp_path)


def test_the_environment_is_made_from_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("MY_SECRET", "hush")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-somebody-elses-key")
    monkeypatch.setenv("MY_PROXY", "http://127.0.0.1:1")
    attempt(agent(look(tmp_path, "env"), pass_variables=("MY_PROXY",)))
    variables = dict(line.split("=", 1) for line in seen(tmp_path).splitlines() if "=" in line)
    assert "MY_SECRET" not in variables
    assert variables["OPENAI_API_KEY"] == "no-key"  # a foreign endpoint never gets the provider's key
    assert variables["MY_PROXY"] == "http://127.0.0.1:1"
    assert variables["HOME"] != os.environ["HOME"]
    assert not variables["HOME"].startswith(variables["TMPDIR"])


def test_the_key_is_handed_over_and_never_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("MY_KEY", "quite-ordinary-words")
    message = '{"type":"item.completed","item":{"type":"agent_message","text":"it is %s"}}'
    body = f"printf '{message}\\n' \"$OPENAI_API_KEY\"; grep -r quite-ordinary ~ && exit 9; {SOLVED}"
    rollout = attempt(agent(program(tmp_path, body), key_variable="MY_KEY"))
    assert "it is [redacted:" in str(rollout.trajectory)
    assert "quite-ordinary-words" not in str(rollout)


def test_folder_names_of_the_attempt_do_not_reach_the_trajectory(tmp_path):
    message = '{"type":"item.completed","item":{"type":"agent_message","text":"%s and %s"}}'
    body = f'printf \'{message}\\n\' "$PWD/x" "$HOME/y"; {SOLVED}'
    assert "$WORK/x and $HOME/y" in str(attempt(agent(program(tmp_path, body))).trajectory)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("echo 'disk on fire' >&2; exit 7", "exited with code 7: disk on fire"),
        ("exit 0", "printed no end of its run"),
        ("printf '\\0\\377garbage\\n{\\n'", "printed no end of its run"),
        ("kill -9 $$", "exited with code -9"),
        (f"cat {DATA}/codex_refused.jsonl; exit 1", "401 Unauthorized"),
        (f"{SOLVED}; exit 3", "exited with code 3"),
    ],
)
def test_a_run_that_measured_nothing_is_an_error(tmp_path, body, reason):
    rollout = attempt(agent(program(tmp_path, f"touch out.txt; {body}")))
    assert rollout.outcome == "error"
    assert reason in rollout.error


def test_an_error_keeps_what_was_spent(tmp_path):
    assert attempt(agent(program(tmp_path, f"{SOLVED}; exit 3"))).usage.input_tokens == 3060


def test_secrets_in_complaints_are_taken_out(tmp_path):
    key = "sk-proj-abcdefghijklmnop1234"
    rollout = attempt(agent(program(tmp_path, f"echo 'error: bad key {key}' >&2; exit 1")))
    assert "bad key [redacted:" in rollout.error


def test_time_over_ends_the_run_and_its_children(tmp_path):
    body = f"(setsid sh -c 'echo $$ > {tmp_path}/child; sleep 300' &) ; sleep 300"
    rollout = attempt(agent(program(tmp_path, body), timeout=1.0))
    assert "ended after 1 seconds" in rollout.error
    assert _ends(int((tmp_path / "child").read_text()))


def test_a_cancelled_attempt_leaves_nothing_running(tmp_path):
    body = f"sh -c 'echo $$ > {tmp_path}/child; sleep 300'"
    made = agent(program(tmp_path, body))

    async def given_up() -> None:
        running = asyncio.create_task(made.attempt(TASK, SKILL, trial=1))
        while not (tmp_path / "child").exists() or not (tmp_path / "child").read_text():
            await asyncio.sleep(0.02)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(given_up())
    assert _ends(int((tmp_path / "child").read_text()))


def test_a_background_process_does_not_outlive_a_run_that_ended(tmp_path):
    body = f"sh -c 'echo $$ > {tmp_path}/child; sleep 300' & sleep 0.3; {SOLVED}"
    assert attempt(agent(program(tmp_path, body))).score is not None
    assert _ends(int((tmp_path / "child").read_text()))


KILLED = """
import asyncio, signal, sys
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup leaves it ignored, and so would this process
sys.path.insert(0, {tests!r})
from agents.cli_agents.players import SKILL, TASK, agent
asyncio.run(agent({binary!r}, base_url={endpoint!r}).attempt(TASK, SKILL, trial=1))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_the_agent_does_not_outlive_a_program_that_was_killed(tmp_path, number):
    binary = program(tmp_path, f"echo $$ > {tmp_path}/child; exec sleep 300")
    code = KILLED.format(tests=str(DATA.parents[1]), binary=binary, endpoint=ENDPOINT)
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.DEVNULL) as running:
        while not (tmp_path / "child").exists() or not (tmp_path / "child").read_text():
            assert running.poll() is None
            time.sleep(0.02)
        running.send_signal(number)
    assert _ends(int((tmp_path / "child").read_text()))


def test_an_endpoint_that_is_down_is_found_out_before_the_client_waits_for_it(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    made = agent(program(tmp_path, f"touch {tmp_path}/ran"), base_url=f"http://127.0.0.1:{port}/v1")
    with pytest.raises(ProviderError, match=f"nothing answers at 127.0.0.1:{port}, the endpoint for Codex"):
        attempt(made)
    assert not (tmp_path / "ran").exists()


def command(line: str, output: str, code: int) -> dict[str, object]:
    item = {"id": "i", "type": "command_execution", "command": line, "aggregated_output": output}
    return {"type": "item.completed", "item": {**item, "exit_code": code, "status": "completed"}}


@pytest.mark.parametrize(
    ("events", "settings", "used"),
    [
        ([command("cat ~/.agents/skills/rules/SKILL.md", "# Rules", 0)], {}, True),
        ([command("cat ~/.agents/skills/rules/SKILL.md", "no such file", 1)], {}, False),
        (
            [command("cat x/rules/SKILL.md; make", "End every file with a newline.\nmake: *** no", 2)],
            {},
            True,
        ),
        ([command("ls", "rules", 0)], {}, False),
        ([], {"invocation": "named"}, True),
        ([command("cat ~/.agents/skills/rules/SKILL.md", "# Rules", 0)], {"with_skill": False}, None),
    ],
)
def test_the_trajectory_says_whether_the_skill_was_opened(tmp_path, events, settings, used):
    body = says(*events, {"type": "turn.completed", "usage": {}})
    trajectory = attempt(agent(program(tmp_path, body), **settings)).trajectory
    assert trajectory["extra"]["skill_used"] is used


def tool(status: str, said: str, *, name: str = "rules") -> dict[str, object]:
    state = {"status": status, "input": {"name": name}, "output": said}
    part = {"type": "tool", "tool": "skill", "callID": f"call_{status}_{name}", "state": state}
    return {"type": "tool_use", "part": part}


def test_a_client_that_cannot_open_the_skill_measured_nothing(tmp_path):
    end = [json.loads(line) for line in (DATA / "opencode_solved.jsonl").read_text().splitlines()]
    (tmp_path / "rg").write_text("#!/bin/sh\n")
    (tmp_path / "rg").chmod(0o755)

    def played(*events: object) -> Rollout:
        return attempt(agent(program(tmp_path, says(*events, *end), client="opencode"), client="opencode"))

    broken = tool("error", "ripgrep execution failed")
    assert played(broken).error == "OpenCode could not open the skill 'rules': ripgrep execution failed"
    assert played(broken, tool("completed", "End every file with a newline.")).score is not None
    assert played(tool("error", "no skill called ruels", name="ruels")).score is not None


def test_nothing_is_left_on_the_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    attempt(agent(program(tmp_path, f"mkdir -p ~/deep; chmod 500 ~/deep; {SOLVED}")))
    assert list((tmp_path / "tmp").iterdir()) == []


def test_attempts_side_by_side_do_not_meet(tmp_path):
    body = f"sleep 0.2; test -e out.txt && exit 5; touch out.txt; {SOLVED}"
    made = agent(program(tmp_path, body))

    async def several():
        return await asyncio.gather(*(made.attempt(TASK, SKILL, trial=n) for n in range(1, 5)))

    assert [rollout.outcome for rollout in asyncio.run(several())] == ["solved"] * 4


@pytest.mark.parametrize("files", [{"/etc/x": "a"}, {"../x": "a"}, {"x": 1}, ["x"]])
def test_files_that_leave_the_work_folder_are_refused(tmp_path, files):
    with pytest.raises(TaskError, match="t9"):
        attempt(agent(program(tmp_path, SOLVED)), task=Task("t9", "p", {"files": files}))


def test_isolated_runs_see_their_own_folders_only(tmp_path):
    try:
        made = agent(
            program(tmp_path, f"touch out.txt; touch {tmp_path}/escaped; cat solved", client="kimi"),
            client="kimi",
            isolation="sandbox",
        )
    except SettingsError as error:
        pytest.skip(str(error))
    files = {"solved": (DATA / "kimi_solved.jsonl").read_text()}
    rollout = attempt(made, task=Task("t1", "p", {"files": files}))
    assert rollout.outcome == "solved", rollout.error
    assert not (tmp_path / "escaped").exists()
    assert rollout.trajectory["extra"]["isolation"] in ("bubblewrap", "landlock")


def _ends(pid: int) -> bool:
    """Whether the process goes away; a killed one takes a moment to be gone."""
    for _ in range(100):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False
