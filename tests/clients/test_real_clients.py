"""Real coding agents against a scripted model on loopback: with a skill, without one, refused, and too
slow."""

from __future__ import annotations

from pathlib import Path

import pytest

from loopback import Ask, Call, LoopbackModel, Reply, Say
from sharpen.clients import CLIENTS, Client
from sharpen.traces import from_json
from sharpen.types import Rollout

from .scenario import KEY, TASKS, best_isolation, play

pytestmark = pytest.mark.clients

REAL = [client for client in CLIENTS.values() if client.verified]


@pytest.mark.parametrize("client", REAL, ids=lambda client: client.name)
def test_the_skill_travels_and_the_commands_run(client, binary_of):
    rollout, model = play(client, binary_of(client), TASKS[0])
    assert rollout.outcome == "solved", rollout.error or rollout.score
    bodies = [request.ask.body for request in model.requests]
    assert all("ZEBRA-DESCRIPTION" in body and "house-rules" in body for body in bodies)
    assert "ZEBRA-BODY" not in bodies[0]
    assert "ZEBRA-BODY" in bodies[1]
    assert_faithful(client, rollout, model, exit_codes=(0, 3))
    assert rollout.trajectory["extra"]["skills_used"] == ["house-rules"]
    assert rollout.trajectory["extra"]["skill_used"] is True


@pytest.mark.parametrize("client", REAL, ids=lambda client: client.name)
def test_without_a_skill_the_same_run_knows_nothing_of_it(client, binary_of):
    rollout, model = play(client, binary_of(client), TASKS[1], with_skill=False)
    assert rollout.outcome == "failed", rollout.error or rollout.score
    assert "plain" in rollout.score.feedback
    assert not any("ZEBRA" in r.ask.body or "house-rules" in r.ask.body for r in model.requests)
    assert_faithful(client, rollout, model, exit_codes=(3,))
    assert rollout.trajectory["extra"]["skills_used"] == []
    assert rollout.trajectory["extra"]["skill_used"] is None


def assert_faithful(client: Client, rollout: Rollout, model: LoopbackModel, *, exit_codes: tuple) -> None:
    """Trajectory, exit codes and usage are those of the run; the key was used and is nowhere kept."""
    trajectory = from_json(rollout.trajectory)
    results = [result for step in trajectory.steps for result in step.results]
    assert tuple(result.exit_code for result in results) == exit_codes
    commands = [str(call.arguments) for step in trajectory.steps for call in step.tool_calls]
    assert len(commands) == len(exit_codes)
    assert f"> {rollout.task.id}.txt; ls; exit 3" in commands[-1]
    assert "notes" in str(results[-1].content)
    assert trajectory.steps[-1].message == f"Done: wrote {rollout.task.id}.txt"
    bills = [request.bill for request in model.requests]
    assert rollout.usage.calls == len(bills)
    assert rollout.usage.input_tokens == sum(bill.prompt for bill in bills)
    assert rollout.usage.output_tokens == sum(bill.completion for bill in bills)
    assert rollout.usage.usd is None  # nobody knows the price of this model
    assert trajectory.final_metrics.total_cached_tokens == sum(bill.cached for bill in bills)
    assert all(KEY in str(request.headers) for request in model.requests)
    assert KEY not in str(rollout)
    assert "sharpen-agent-" not in str(rollout.trajectory)
    assert trajectory.agent.version == client.tested
    assert trajectory.extra["client_exit_code"] == 0
    assert trajectory.extra["unread_lines"] == 0


@pytest.mark.parametrize("client", [c for c in REAL if c.naming], ids=lambda client: client.name)
def test_a_named_skill_is_in_the_first_request_whole(client, binary_of):
    rollout, model = play(client, binary_of(client), TASKS[0], invocation="named")
    assert rollout.score is not None, rollout.error
    assert "ZEBRA-BODY" in model.requests[0].ask.body


@pytest.mark.parametrize("client", [c for c in REAL if c.off_arguments], ids=lambda client: client.name)
def test_the_clients_own_switch_hides_a_skill_that_is_installed(client, binary_of):
    off = tuple(argument.replace("{name}", "house-rules") for argument in client.off_arguments)
    rollout, model = play(client, binary_of(client), TASKS[0], extra_arguments=off)
    assert rollout.outcome == "failed", rollout.error or rollout.score
    assert not any("ZEBRA" in request.ask.body for request in model.requests)


@pytest.mark.parametrize("client", REAL, ids=lambda client: client.name)
def test_a_provider_that_refuses_is_an_error_not_a_score(client, binary_of):
    rollout, model = play(client, binary_of(client), TASKS[0], failing=401)
    assert rollout.outcome == "error"
    assert client.title in rollout.error
    assert "401" in rollout.error or "scripted model is down" in rollout.error
    assert KEY not in rollout.error
    assert 1 <= model.refused <= 4


@pytest.mark.parametrize("client", REAL, ids=lambda client: client.name)
def test_an_isolated_agent_cannot_write_beyond_its_folders(client, binary_of, tmp_path):
    binary = binary_of(client)
    if best_isolation(client) == "none":
        pytest.skip(f"this machine has no sandbox that {client.title} starts in")
    outside = tmp_path / "escaped"
    commands = ("echo okapi > alpha.txt", f"touch {outside}")

    def script(ask: Ask) -> Reply:
        done = len(ask.results)
        return Call.shell(ask, commands[done]) if done < len(commands) else Say("I tried")

    rollout, _ = play(client, binary, TASKS[0], script=script)
    assert rollout.outcome == "solved", rollout.error or rollout.score
    assert not outside.exists()
    assert rollout.trajectory["extra"]["isolation"] in ("client", "bubblewrap", "landlock")


def test_an_agent_without_isolation_has_its_users_rights(binary_of, tmp_path):
    outside = tmp_path / "reached"

    def script(ask: Ask) -> Reply:
        return Say("done") if ask.results else Call.shell(ask, f"touch {outside}")

    client = CLIENTS["claude-code"]
    rollout, _ = play(client, binary_of(client), TASKS[0], script=script, isolation="none")
    assert outside.exists()
    assert rollout.trajectory["extra"]["isolation"] == "none"


OTHER_WIRES = [(client, wire) for client in REAL for wire in client.wires[1:]]


@pytest.mark.parametrize(("client", "wire"), OTHER_WIRES, ids=lambda value: getattr(value, "name", value))
def test_every_protocol_a_client_is_said_to_speak_works(client, wire, binary_of):
    rollout, model = play(client, binary_of(client), TASKS[0], wire=wire)
    assert rollout.outcome == "solved", rollout.error or rollout.score
    assert {request.ask.wire for request in model.requests} == {wire}


@pytest.mark.parametrize("isolation", ["none", "sandbox"])
@pytest.mark.parametrize("client", [CLIENTS["codex"], CLIENTS["kimi"]], ids=lambda client: client.name)
def test_a_run_that_takes_too_long_ends_with_everything_it_started(client, isolation, binary_of):

    binary = binary_of(client)
    if isolation == "sandbox" != best_isolation(client):
        pytest.skip(f"this machine has no sandbox that {client.title} starts in")

    def script(ask: Ask) -> Reply:
        return Call.shell(ask, "while true; do sleep 0.5; done & sleep 300")

    rollout, _ = play(client, binary, TASKS[0], script=script, timeout=8.0, isolation=isolation)
    assert rollout.outcome == "error"
    assert "ended after 8 seconds" in rollout.error
    left = [path for path in Path("/proc").glob("[0-9]*/environ") if b"HOME=" in _bytes(path)]
    assert not [path for path in left if b"sharpen-agent-" in _bytes(path)]


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
