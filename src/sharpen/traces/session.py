"""What a stream tells about one run of a coding agent, before anybody judges it.

A `Session` holds steps, the last message, what was spent and what went wrong; `Recorder` collects one while a
reader walks through the events. It knows the shape of a run, not any client's words for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TypeVar

from sharpen.traces.lines import Events
from sharpen.traces.trajectory import (
    Agent,
    FinalMetrics,
    Metrics,
    Result,
    Step,
    ToolCall,
    Trajectory,
)

Number = TypeVar("Number", int, float)
SKILL_TOOLS = frozenset({"Skill", "skill", "activate_skill"})
# What comes before is looked up backwards from here: a search for names would take quadratic time.
_IN_SKILL = re.compile(r"/(?:SKILL\.md|scripts/)")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]*\Z")
_LONGEST_NAME = 64  # characters, by the standard


@dataclass(frozen=True)
class Spent:
    """What the client reported. `prompt_tokens` counts the cached ones, too; None is unknown, never zero."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    calls: int | None = None
    usd: float | None = None
    facts: Mapping[str, object] = field(default_factory=dict)

    def plus(self, other: Spent) -> Spent:
        """Both together; a sum with something unknown in it is unknown."""
        return Spent(
            _sum(self.prompt_tokens, other.prompt_tokens),
            _sum(self.completion_tokens, other.completion_tokens),
            _sum(self.cached_tokens, other.cached_tokens),
            _sum(self.calls, other.calls),
            _sum(self.usd, other.usd),
            {**self.facts, **other.facts},
        )


def _sum(one: Number | None, other: Number | None) -> Number | None:
    return None if one is None or other is None else one + other


def total(parts: Iterable[Spent]) -> Spent | None:
    """All of them together; None when there are none."""
    return reduce(Spent.plus, found) if (found := list(parts)) else None


class Bill:
    """A sum of answers, one added at a time."""

    def __init__(self) -> None:
        self._prompt = self._completion = self._cached = self._calls = 0
        self._usd: float | None = 0.0

    def add(self, prompt: int, completion: int, cached: int, usd: float | None) -> None:
        self._prompt += prompt
        self._completion += completion
        self._cached += cached
        self._calls += 1
        self._usd = None if self._usd is None or usd is None else self._usd + usd

    def spent(self) -> Spent | None:
        """The sum; a sum with an unknown price has none, and no answers have no sum."""
        if not self._calls:
            return None
        return Spent(self._prompt, self._completion, self._cached, self._calls, self._usd)


@dataclass(frozen=True)
class Session:
    """One run as its stream told it."""

    steps: tuple[Step, ...] = ()
    final: str = ""
    spent: Spent | None = None
    errors: tuple[str, ...] = ()
    """What ended the run before the agent was done: provider, login, network."""
    limit: str = ""
    """The agent's own limit that ended the run, such as a number of turns; not an error."""
    finished: bool = False
    """Whether the stream came to its end event."""
    skills_listed: tuple[str, ...] | None = None
    """Skills the client says it loaded; None when it does not say."""
    model: str = ""
    session_id: str = ""
    unread: int = 0
    cleaned: int = 0

    @property
    def skills_used(self) -> tuple[str, ...]:
        """Skills that were called through the client's tool or whose files were opened."""
        calls = [call for step in self.steps for call in step.tool_calls]
        return tuple(sorted({name for call in calls for name in skills_in(call)}))

    @property
    def exit_codes(self) -> tuple[int | None, ...]:
        """One per result, in order; None where the client reported none."""
        return tuple(result.exit_code for step in self.steps for result in step.results)

    def trajectory(self, agent: Agent, prompt: str, extra: Mapping[str, object]) -> Trajectory:
        """The run as ATIF, the prompt first. Ids and clock times are left out: no two runs share them."""
        steps = (Step("user", prompt), *(replace(step, timestamp=None) for step in self.steps))
        facts = {
            "skills_listed": None if self.skills_listed is None else list(self.skills_listed),
            "skills_used": list(self.skills_used),
            "redactions": self.cleaned,
            "unread_lines": self.unread,
            **extra,
        }
        return Trajectory(agent, steps, final_metrics=final_metrics(self.spent, len(steps)), extra=facts)


def final_metrics(spent: Spent | None, steps: int) -> FinalMetrics:
    """The totals as the format holds them."""
    if spent is None:
        return FinalMetrics(total_steps=steps)
    calls = {} if spent.calls is None else {"model_calls": spent.calls}
    return FinalMetrics(
        total_prompt_tokens=spent.prompt_tokens,
        total_completion_tokens=spent.completion_tokens,
        total_cached_tokens=spent.cached_tokens,
        total_cost_usd=spent.usd,
        total_steps=steps,
        extra={**spent.facts, **calls},
    )


def skills_in(call: ToolCall) -> list[str]:
    """Skills that a call names or whose files it opens."""
    if call.function_name in SKILL_TOOLS:
        named = (call.arguments.get("skill"), call.arguments.get("name"))
        return [name for name in named if isinstance(name, str) and name][:1]
    texts = [value for value in call.arguments.values() if isinstance(value, str)]
    return [
        name for text in texts for place in _IN_SKILL.finditer(text) if (name := _before(text, place.start()))
    ]


def _before(text: str, end: int) -> str:
    """The folder's name that ends there."""
    found = _NAME.search(text[max(end - _LONGEST_NAME, 0) : end])
    return found[0] if found else ""


class Recorder:
    """Collects steps in the order in which a stream tells them."""

    def __init__(self) -> None:
        self._steps: list[Step] = []
        self._open = False
        self._inside = ""
        self._names: dict[str, int] = {}
        self.final = ""

    def turn(self) -> None:
        """What comes next belongs to another answer of the model."""
        self._open = False

    def inside(self, call: str) -> None:
        """Whose steps come next: those of the sub-agent that a call started, or with "" the agent's own."""
        if call != self._inside:
            self._inside, self._open = call, False

    def say(self, text: str, *, joined: bool = False) -> None:
        """A message of the agent; `joined` continues the last one, as streams of pieces do."""
        if not text:
            return
        step = self._step()
        before = step.message if isinstance(step.message, str) else ""
        gap = "" if joined or not before else "\n"
        self._steps[-1] = replace(step, message=before + gap + text)
        if not self._inside:
            self.final = before + gap + text

    def think(self, text: str) -> None:
        if text:
            step = self._step()
            gap = "\n" if step.reasoning_content else ""
            self._steps[-1] = replace(step, reasoning_content=(step.reasoning_content or "") + gap + text)

    def call(self, name: str, tool: str, arguments: Mapping[str, object]) -> None:
        """A tool call; a second one under the same id changes nothing."""
        if name in self._names:
            return
        step = self._step()
        self._names[name] = len(self._steps) - 1
        self._steps[-1] = replace(step, tool_calls=(*step.tool_calls, ToolCall(name, tool, arguments)))

    def result(self, name: str, content: str, *, exit_code: int | None, failed: bool = False) -> None:
        """What a call returned, put beside the call; without a call of that id it stands alone."""
        extra: dict[str, object] = {} if exit_code is None else {"exit_code": exit_code}
        if failed:
            extra["failed"] = True
        place = self._names.get(name)
        if place is None:
            self._step()
            place = len(self._steps) - 1
        source = name if name in self._names else None
        step = self._steps[place]
        result = Result(content, source_call_id=source, extra=extra)
        self._steps[place] = replace(step, results=(*step.results, result))

    def measure(self, metrics: Metrics) -> None:
        """What the current step cost."""
        if self._steps:
            self._steps[-1] = replace(self._steps[-1], metrics=metrics, llm_call_count=1)

    def told(self, session: Session, events: Events) -> Session:
        """The session with everything collected and the counts of the lines it came from."""
        return replace(
            session,
            steps=tuple(self._steps),
            final=session.final or self.final,
            unread=events.unread,
            cleaned=events.cleaned,
        )

    def _step(self) -> Step:
        if not self._open:
            self._steps.append(Step("agent", extra={"subagent_of": self._inside} if self._inside else {}))
            self._open = True
        return self._steps[-1]
