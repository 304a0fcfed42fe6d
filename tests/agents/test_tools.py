"""The tool loop with a scripted model: commands really run, in the sandbox, and every bound holds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from sharpen.agents import ToolSettings, ToolStudent
from sharpen.models import Completion, ContextError, Message, Request, ToolCall
from sharpen.skills import Skill
from sharpen.tasks.scorers import Command, Exact
from sharpen.traces import from_json
from sharpen.types import Rollout, Task, Usage

SKILL = Skill.from_text("# Work\n- Say moin.\n")
TASK = Task(
    "t1",
    "Write moin into out.txt.",
    {"check": 'test "$(cat out.txt)" = moin', "files": {"in/a.txt": "one\ntwo\n"}},
)
Script = Callable[[Request], Completion]


class Scripted:
    """A simulated model that plays a script: what it answers depends on the conversation so far."""

    name = "simulated:script"
    fingerprint = "simulated:script"

    def __init__(self, script: Script) -> None:
        self._script = script
        self.requests: list[Request] = []

    async def complete(self, request: Request, *, trial: int = 1) -> Completion:
        self.requests.append(request)
        return self._script(request)

    def worst_case(self, request: Request) -> Usage:
        return Usage(sum(len(message.text) for message in request.messages) + 100, request.max_tokens)

    async def aclose(self) -> None: ...


def calling(name: str, **arguments: object) -> Completion:
    return Completion("", (ToolCall("c1", name, arguments),), Usage(10, 5), "tools")


def done(text: str = "done") -> Completion:
    return Completion(text, (), Usage(10, 5))


def in_turn(*answers: Completion) -> Script:
    """The n-th answer to a conversation in which the model has spoken n times."""
    return lambda request: answers[
        min(sum(m.role == "assistant" for m in request.messages), len(answers) - 1)
    ]


def attempt(
    script: Script, settings: ToolSettings | None = None, task: Task = TASK
) -> tuple[Rollout, Scripted]:
    model = Scripted(script)
    scorer = Command() if "check" in task.data else Exact()
    student = ToolStudent(model, scorer, settings or ToolSettings())
    return asyncio.run(student.attempt(task, SKILL, trial=1)), model


def observations(model: Scripted) -> list[str]:
    return [message.text for message in model.requests[-1].messages if message.role == "tool"]


def test_a_command_runs_and_the_check_sees_what_it_left() -> None:
    rollout, model = attempt(in_turn(calling("bash", command="printf moin > out.txt; exit 3"), done()))
    assert rollout.outcome == "solved"
    assert observations(model) == ["(exit code 3)"]
    assert SKILL.text in model.requests[0].system
    assert rollout.usage == Usage(20, 10, 2, None, "simulated:script")
    assert rollout.trajectory is not None
    told = from_json(rollout.trajectory)
    assert [step.source for step in told.steps] == ["user", "agent", "agent"]
    assert told.steps[1].tool_calls[0].function_name == "bash"
    assert told.steps[1].results[0].content == "(exit code 3)"
    assert told.extra["isolation"] in ("bubblewrap", "landlock")


@pytest.mark.parametrize(
    ("call", "seen"),
    [
        (calling("python", code="print(6 * 7)"), "42"),
        (calling("view", path="in/a.txt"), "     1  one\n     2  two"),
        (calling("view", path="in"), "a.txt"),
        (calling("search", pattern="tw."), "in/a.txt:2: two"),
        (calling("edit", path="in/a.txt", old="one", new="eins"), "changed in/a.txt"),
        (calling("edit", path="in/a.txt", old="o", new="0"), "occurs 2 times"),
        (calling("edit", path="new/b.txt", old="", new="x"), "made new/b.txt"),
        (calling("view", path="nowhere"), "FileNotFoundError"),
        (calling("view", path="/etc/shadow"), "Error"),
        (calling("bsh", command="ls"), "there is no tool 'bsh'"),
        (calling("bash", cmd="ls"), "needs command"),
        (calling("bash", command="ls", why="x"), "knows no why"),
        (calling("view", path=3), "wrong type"),
        (calling("bash", command="echo $SHARPEN_CANARY"), "(no output)"),
    ],
)
def test_what_each_tool_tells_the_model(call: Completion, seen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHARPEN_CANARY", "of the parent's environment")
    _, model = attempt(in_turn(call, done()))
    (text,) = observations(model)
    assert seen in text


def test_a_model_that_is_never_done_is_stopped_and_judged_by_what_it_left() -> None:
    rollout, model = attempt(in_turn(calling("bash", command="date > when.txt")), ToolSettings(max_steps=3))
    assert len(model.requests) == 3
    assert rollout.outcome == "failed"
    assert rollout.score is not None
    assert "not done after 3 steps" in rollout.score.feedback
    rollout, _ = attempt(in_turn(calling("bash", command="printf moin > out.txt")), ToolSettings(max_steps=2))
    assert rollout.outcome == "solved"


def test_no_call_is_made_that_could_cross_the_attempts_tokens() -> None:
    settings = ToolSettings(tokens=2048 + 300)
    rollout, model = attempt(in_turn(calling("bash", command="true")), settings)
    assert rollout.usage is not None
    assert rollout.usage.tokens <= settings.tokens
    assert rollout.score is not None
    assert "could have crossed" in rollout.score.feedback
    assert 1 <= len(model.requests) < settings.max_steps


def test_an_answer_that_was_cut_off_is_not_run() -> None:
    cut = Completion(
        "", (ToolCall("c1", "bash", {"command": "printf moin > out.txt"}),), Usage(1, 1), "length"
    )
    rollout, model = attempt(in_turn(cut, done()))
    assert rollout.outcome == "failed"
    assert "not run" in observations(model)[0]


def test_a_conversation_that_outgrows_the_context_loses_old_outputs_visibly() -> None:
    def script(request: Request) -> Completion:
        if sum(len(message.text) for message in request.messages) > 12_000:
            raise ContextError("too long", needed=12_001, allowed=12_000)
        return in_turn(*[calling("python", code="print('x' * 3000)")] * 6, done())(request)

    rollout, model = attempt(script)
    assert rollout.outcome == "failed", "the check, not the context, decided"
    assert "left out to fit into the context: 3000 characters" in str(observations(model))


def test_a_context_that_is_too_small_from_the_start_is_an_error_with_sizes() -> None:
    def script(request: Request) -> Completion:
        raise ContextError("needs 500 tokens, 400 fit", needed=500, allowed=400)

    rollout, _ = attempt(script)
    assert rollout.outcome == "error"
    assert "400" in rollout.error


def test_long_output_is_cut_in_the_middle_and_says_so() -> None:
    _, model = attempt(
        in_turn(calling("python", code="print('a' * 9000 + 'z')"), done()), ToolSettings(shown=100)
    )
    (text,) = observations(model)
    assert text.startswith("a" * 50)
    assert text.endswith("z")
    assert "characters left out" in text


def test_what_an_attempt_can_cost_is_known_before() -> None:
    student = ToolStudent(Scripted(in_turn(done())), Exact(), ToolSettings(tokens=5000))
    worst = student.worst_case(TASK, SKILL)
    assert worst is not None
    assert worst.tokens == 5000
    assert Message("user", TASK.prompt) in student._request(TASK, SKILL).messages
