"""How a session is told: a reader says what happened, a sink takes it step by step, nobody holds all of it.

A `Sink` opens a `Track` for every session; steps are placed on it by number, and a client that takes steps
back has the track keep only the first so many. `Telling` collects what belongs to one step and hands a step
on once its calls are answered, so that the memory it needs does not grow with the session. It knows the
shape of a run, not any client's words for it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Literal, Protocol

from sharpen.traces.session import Bill, Spent
from sharpen.traces.trajectory import Content, Metrics, Result, Source, Step, ToolCall

State = Literal["completed", "stopped", "failed", "unknown"]
"""How a session ended: done, ended by the user or a limit, broken off by an error, or nobody says."""
Relation = Literal["", "sub-agent", "fork"]

WAITING = 64
"""Steps kept back at most for answers that are still to come."""
LAST_ERRORS = 5
"""Errors of a session that are kept: the last ones ended it, the others repeat themselves."""


@dataclass(frozen=True)
class About:
    """What is known of a session when its first step is told."""

    client: str
    session_id: str
    version: str = ""
    model: str = ""
    project: str = ""
    """The folder the agent worked in."""
    started: str = ""
    parent: str = ""
    """The session that started this one, or that this one continues."""
    relation: Relation = ""
    revision: str = ""
    """When its file was begun, where several files tell one session: the latest tells it whole."""
    facts: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Ending:
    """What is known once the last line is read; None and `unknown` mean that nobody said."""

    state: State = "unknown"
    reward: float | None = None
    """A verifier's score, where one judged the work; 1 is full marks."""
    spent: Spent | None = None
    errors: tuple[str, ...] = ()
    model: str = ""
    skills_listed: tuple[str, ...] | None = None
    facts: Mapping[str, object] = field(default_factory=dict)
    redactions: Mapping[str, int] = field(default_factory=dict)
    """What was taken out on the way (`cleaning.py`), by kind."""


class Track(Protocol):
    """Where one session's steps go. Numbers count from 0; a number placed twice is replaced."""

    def place(self, number: int, step: Step) -> None: ...

    def keep(self, count: int) -> None:
        """The first `count` steps stay, the others were taken back."""

    def end(self, ending: Ending) -> None: ...


class Sink(Protocol):
    """Takes sessions; several may be open at once."""

    def begin(self, about: About) -> Track: ...


class _Draft:
    """A step that may still change."""

    __slots__ = (
        "answered",
        "calls",
        "copied",
        "effort",
        "expected",
        "extra",
        "message",
        "metrics",
        "model",
        "number",
        "results",
        "source",
        "thoughts",
        "time",
    )

    def __init__(self, number: int, source: Source, time: str | None) -> None:
        self.number, self.source, self.time = number, source, time
        self.message: Content = ""
        self.thoughts = ""
        self.model = ""
        self.effort = ""
        self.calls: list[ToolCall] = []
        self.results: list[Result] = []
        self.answered: set[str] = set()
        self.expected: dict[str, dict[str, object]] = {}
        self.metrics: Metrics | None = None
        self.copied = False
        self.extra: dict[str, object] = {}

    def is_settled(self) -> bool:
        return len(self.answered) >= len(self.calls)

    def new_name(self, name: str) -> str:
        """An id for a call that has none, or whose id another call of this step has."""
        return f"{name}-{self.number}-{len(self.calls)}"

    def open_twin(self, name: str) -> str:
        """A call that came under the same id and is not answered; empty when there is none."""
        names = (call.tool_call_id for call in self.calls if call.tool_call_id not in self.answered)
        return next((twin for twin in names if twin.startswith(f"{name}-{self.number}-")), "")

    def step(self) -> Step:
        if self.source != "agent":
            results = tuple(self.results)
            return Step(
                self.source,
                self.message,
                self.time,
                results=results,
                extra=self.extra,
                is_copied_context=self.copied or None,
            )
        return Step(
            "agent",
            self.message,
            self.time,
            self.model or None,
            self.effort or None,
            self.thoughts or None,
            tuple(self.calls),
            tuple(self.results),
            self.metrics,
            self.copied or None,
            1 if self.metrics else None,
            self.extra,
        )


class Telling:
    """One session being told to a sink."""

    def __init__(self, sink: Sink, about: About) -> None:
        self._track = sink.begin(about)
        self._waiting: deque[_Draft] = deque()
        self._calls: dict[str, _Draft] = {}
        self._open: _Draft | None = None
        self._turns: list[int] = []
        self._bill = Bill()
        self.count = 0
        self.copied = False
        """Whether what is told now was copied from another session."""

    def user(
        self, text: Content, *, time: str | None = None, extra: Mapping[str, object] | None = None
    ) -> None:
        """The user's own words; every one begins a turn that can be taken back."""
        if text:
            self._turns.append(self.count)
            self._alone("user", text, time, extra)

    def system(
        self, text: Content, *, time: str | None = None, extra: Mapping[str, object] | None = None
    ) -> None:
        """Words that neither the user nor the agent said: instructions, context, notices."""
        if text:
            self._alone("system", text, time, extra)

    def turn(self) -> None:
        """What comes next belongs to another answer of the model."""
        self._open = None

    def say(self, text: str, *, time: str | None = None, joined: bool = False) -> None:
        """A message of the agent; `joined` continues the last one, as streams of pieces do."""
        if text:
            draft = self._agent(time)
            before = draft.message if isinstance(draft.message, str) else ""
            draft.message = before + ("" if joined or not before else "\n") + text

    def think(self, text: str, *, time: str | None = None) -> None:
        if text:
            draft = self._agent(time)
            draft.thoughts += ("\n" if draft.thoughts else "") + text

    def call(
        self,
        name: str,
        tool: str,
        arguments: Mapping[str, object],
        *,
        time: str | None = None,
        fresh: bool = False,
    ) -> str:
        """A tool call; the id it goes by. A second one under the same id changes nothing, unless it is
        `fresh`: formats that tell every call once may use an id again."""
        if name and name in self._calls and not fresh:
            return name
        draft = self._agent(time)
        if not name or any(call.tool_call_id == name for call in draft.calls):
            name = draft.new_name(name or "call")
        draft.calls.append(ToolCall(name, tool or "tool", arguments))
        self._calls[name] = draft
        return name

    def result(
        self,
        name: str,
        content: Content | None,
        *,
        exit_code: int | None = None,
        failed: bool = False,
        time: str | None = None,
        extra: Mapping[str, object] | None = None,
    ) -> None:
        """What a call returned, put beside the call; without a call of that id it stands alone."""
        facts = dict(extra or {})
        if exit_code is not None:
            facts["exit_code"] = exit_code
        if failed:
            facts["failed"] = True
        draft = self._calls.get(name)
        if draft is None:
            self._agent(time).results.append(Result(content, extra=facts))
            return
        if name in draft.answered:
            twin = draft.open_twin(name)
            if not twin:
                self._correct(draft, name, content, facts)
                return
            name = twin
        draft.answered.add(name)
        draft.results.append(Result(content, name, extra={**draft.expected.pop(name, {}), **facts}))

    def learn(self, name: str, facts: Mapping[str, object]) -> None:
        """Facts about a result that another line tells, before it or after it, such as its exit code."""
        draft = self._calls.get(name)
        if draft is None:
            return
        if name in draft.answered:
            self._correct(draft, name, None, facts)
        else:
            draft.expected.setdefault(name, {}).update(facts)

    def open_call(self) -> str:
        """The first of the latest calls that nobody answered, for formats that do not say which one a result
        belongs to; empty when all are answered."""
        for draft in reversed(self._waiting):
            for call in draft.calls:
                if call.tool_call_id not in draft.answered:
                    return call.tool_call_id
        return ""

    def knows(self, name: str) -> bool:
        """Whether a call of that id is still in reach."""
        return name in self._calls

    def measure(self, prompt: int, completion: int, cached: int = 0, *, usd: float | None = None) -> None:
        """What the current answer cost, in tokens and dollars; the session's sum grows by it, unless the
        answer was copied."""
        if not self.copied:
            self._bill.add(prompt, completion, cached, usd)
        self.price(Metrics(prompt, completion, cached, usd))

    def price(self, metrics: Metrics) -> None:
        """What the current answer cost, where the sum is known from elsewhere."""
        if self._waiting and self._waiting[-1].source == "agent":
            self._waiting[-1].metrics = metrics

    @property
    def spent(self) -> Spent | None:
        """All that was measured; None when nothing was."""
        return self._bill.spent()

    def describe(self, *, model: str = "", effort: str = "") -> None:
        """Who gave the current answer."""
        if self._open is not None:
            self._open.model = model or self._open.model
            self._open.effort = effort or self._open.effort

    def rewind(self, count: int) -> None:
        """Only the first `count` steps happened; what was told after them is taken back."""
        count = max(count, 0)
        while self._waiting and self._waiting[-1].number >= count:
            self._forget(self._waiting.pop())
        self._turns = [number for number in self._turns if number < count]
        self.count, self._open = min(self.count, count), None
        self._track.keep(self.count)

    def rewind_turns(self, turns: int) -> None:
        """The last so many turns of the user are taken back, with everything that followed them."""
        if turns > 0 and self._turns:
            self.rewind(self._turns[max(len(self._turns) - turns, 0)])

    def end(self, ending: Ending) -> None:
        while self._waiting:
            self._hand_on()
        self._track.end(replace(ending, errors=ending.errors[-LAST_ERRORS:]))

    # -- inside ------------------------------------------------------------------------------------------

    def _alone(
        self, source: Source, text: Content, time: str | None, extra: Mapping[str, object] | None
    ) -> None:
        draft = self._begin(source, time)
        draft.message = text
        if extra:
            draft.extra = dict(extra)
        self._open = None

    def _agent(self, time: str | None) -> _Draft:
        if self._open is None:
            self._open = self._begin("agent", time)
        return self._open

    def _begin(self, source: Source, time: str | None) -> _Draft:
        while self._waiting and (self._waiting[0].is_settled() or len(self._waiting) >= WAITING):
            self._hand_on()
        draft = _Draft(self.count, source, when(time))
        draft.copied = self.copied
        self._waiting.append(draft)
        self.count += 1
        return draft

    def _hand_on(self) -> None:
        draft = self._waiting.popleft()
        self._forget(draft)
        if draft is self._open:
            self._open = None
        self._track.place(draft.number, draft.step())

    def _forget(self, draft: _Draft) -> None:
        for call in draft.calls:
            if self._calls.get(call.tool_call_id) is draft:
                del self._calls[call.tool_call_id]

    def _correct(
        self, draft: _Draft, name: str, content: Content | None, facts: Mapping[str, object]
    ) -> None:
        """A second telling of the same result: what it adds is added, the words stay."""
        for place, result in enumerate(draft.results):
            if result.source_call_id == name:
                kept = result.content or content
                draft.results[place] = Result(
                    kept, name, result.subagent_trajectory_ref, {**facts, **result.extra}
                )


def when(time: str | None) -> str | None:
    """The time if it is one in ISO 8601, which is what trajectories hold."""
    if not time:
        return None
    try:
        datetime.fromisoformat(time)
    except ValueError:
        return None
    return time


def from_epoch(moment: float | None, *, unit: float = 1.0) -> str:
    """ISO 8601 from seconds (or, by `unit`, parts of them) since 1970; empty when there is no such moment."""
    if moment is None:
        return ""
    try:
        return datetime.fromtimestamp(moment * unit, UTC).isoformat(timespec="milliseconds")
    except (OverflowError, OSError, ValueError):
        return ""
