"""The tool loop: ask, run what was asked for in the sandbox, tell what came of it, until the model is done.

Steps, tokens and money of one attempt are bounded before each call, so what it can cost at most is known
before it begins. A conversation that outgrows the model's context loses its oldest tool outputs, visibly.
"""

from __future__ import annotations

import tempfile
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from sharpen.agents.layout import lay_out
from sharpen.agents.record import Turn, told, total_of
from sharpen.agents.skill_files import clear_files, lay_out_files, with_places
from sharpen.agents.tools.toolbox import TOOLS, Toolbox
from sharpen.errors import ProviderError, SettingsError
from sharpen.models import Completion, ContextError, Kept, Message, Model, Request
from sharpen.sandbox import Isolation, Limits, open_sandbox
from sharpen.skills import Skill
from sharpen.tasks.scoring import Answer, Scorer, judged
from sharpen.types import CallLog, Rollout, Score, Task, Usage, digest_of

TASK = "You work in a folder of files with the tools given. When you are done, answer without a tool call."
LEFT_OUT = "(left out to fit into the context: {} characters)"
RECENT = 4
"""Messages at the end that are never shortened."""


@dataclass(frozen=True)
class ToolSettings:
    """How long an attempt may go on, and where its commands run."""

    max_steps: int = 24  # calls of the model in one attempt
    max_tokens: int = 2048  # of one answer
    tokens: int = 200_000  # of one attempt, input and output of all its calls
    usd: float | None = None  # of one attempt; needs a model with a known price
    temperature: float | None = None  # None leaves it to the model's own default
    seeded: bool = True  # send the trial's number as seed
    shown: int = 8000  # characters of a tool's output that the model sees
    isolation: Isolation | None = None  # None takes the best this machine has; "none" must be asked for
    limits: Limits = field(default_factory=Limits)  # of each command
    network: bool = False  # may commands reach the network?

    def __post_init__(self) -> None:
        for name in ("max_steps", "max_tokens", "tokens", "shown"):
            if getattr(self, name) < 1:
                raise SettingsError(f"{name} must be at least 1, not {getattr(self, name)!r}")
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise SettingsError(f"temperature must lie in 0..2, not {self.temperature!r}")


@dataclass
class _Talk:
    """One conversation as it goes."""

    request: Request
    turns: list[Turn]
    ending: str = ""
    """Why it ended before the model was done; empty when it was."""

    @property
    def usage(self) -> Usage:
        return total_of(completion.usage for _, completion in self.turns if completion is not None)

    @property
    def text(self) -> str:
        return next((m.text for m, completion in reversed(self.turns) if completion is not None), "")

    def say(self, message: Message, completion: Completion | None = None) -> None:
        self.turns.append((message, completion))
        self.request = replace(self.request, messages=(*self.request.messages, message))


@dataclass(frozen=True)
class ToolStudent:
    """A model with tools and a skill in hand."""

    model: Model
    scorer: Scorer
    settings: ToolSettings = field(default_factory=ToolSettings)

    @property
    def fingerprint(self) -> str:
        return f"tools({self.model.fingerprint}, {self.scorer.name}, {digest_of(asdict(self.settings))[:16]})"

    def keep_calls_in(self, log: CallLog) -> ToolStudent:
        return replace(self, model=Kept(self.model, log))

    async def aclose(self) -> None:
        await self.model.aclose()

    def worst_case(self, task: Task, skill: Skill) -> Usage | None:
        """The attempt's own bounds; the price of that many tokens where only tokens are bounded."""
        first = self.model.worst_case(self._request(task, skill))
        usd = self.settings.usd
        if usd is None and first.usd is not None:  # no token can cost more than this share of the bound
            usd = self.settings.tokens * first.usd / max(1, min(first.input_tokens, first.output_tokens))
        return Usage(self.settings.tokens, 0, self.settings.max_steps, usd, self.model.name)

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        settings = self.settings
        with tempfile.TemporaryDirectory(prefix="sharpen-") as place:
            folder = Path(place, "work")
            folder.mkdir()
            lay_out(task, folder)
            lay_out_files(skill, folder)
            sandbox = open_sandbox(settings.isolation, limits=settings.limits, network=settings.network)
            try:
                toolbox = Toolbox(sandbox, folder, shown=settings.shown)
                talk = await self._talk(self._request(task, skill), toolbox, trial)
            except ContextError as error:
                return Rollout.failed_to_run(task, reason=str(error))
            finally:
                sandbox.close()
            clear_files(skill, folder)
            score = await judged(self.scorer, task, Answer(talk.text, folder))
        return self._rollout(task, talk, score, isolation=sandbox.isolation)

    def _request(self, task: Task, skill: Skill) -> Request:
        settings = self.settings
        return Request(
            messages=(Message("user", task.prompt),),
            system=f"{TASK}\n\n{with_places(skill)}",
            tools=TOOLS,
            max_tokens=settings.max_tokens,
            temperature=settings.temperature,
            seed=1 if settings.seeded else None,
        )

    async def _talk(self, request: Request, toolbox: Toolbox, trial: int) -> _Talk:
        talk = _Talk(request, [(request.messages[-1], None)])
        for _ in range(self.settings.max_steps):
            talk.ending = self._too_dear(talk)
            if talk.ending:
                return talk
            try:
                completion = await self._complete(talk, trial)
            except ProviderError as error:
                error.usage = talk.usage
                raise
            talk.say(completion.message, completion)
            if completion.truncated:
                talk.say(Message("user", "That answer was cut off and nothing of it was run. Be brief."))
            elif not completion.tool_calls:
                return talk
            for call in completion.tool_calls:
                text = (
                    "not run: the answer was cut off"
                    if completion.truncated
                    else (await toolbox.use(call)).text
                )
                talk.say(Message("tool", text, tool_call_id=call.id))
        talk.ending = f"it was not done after {self.settings.max_steps} steps"
        return talk

    async def _complete(self, talk: _Talk, trial: int) -> Completion:
        """The model's next words; when the conversation does not fit, once more without old tool outputs."""
        try:
            return await self.model.complete(talk.request, trial=trial)
        except ContextError:
            shorter = _shortened(talk.request)
            if shorter == talk.request:
                raise
            talk.request = shorter
            return await self.model.complete(shorter, trial=trial)

    def _too_dear(self, talk: _Talk) -> str:
        """Could the next call cross the attempt's bounds?"""
        spent, worst = talk.usage, self.model.worst_case(talk.request)
        if spent.tokens + worst.tokens > self.settings.tokens:
            return f"its next call could have crossed {self.settings.tokens} tokens"
        if self.settings.usd is None:
            return ""
        if worst.usd is None:
            raise SettingsError(f"usd is limited, but no price is known for {self.model.name}")
        crossed = (spent.usd or 0.0) + worst.usd > self.settings.usd
        return f"its next call could have crossed {self.settings.usd} USD" if crossed else ""

    def _rollout(self, task: Task, talk: _Talk, score: Score, *, isolation: Isolation) -> Rollout:
        if talk.ending and score.hard < 1:
            score = replace(score, feedback=f"{score.feedback}\nthe agent was stopped: {talk.ending}".strip())
        trajectory = told("tools", self.model, talk.turns, score=score, isolation=isolation)
        return Rollout(task, score, usage=replace(talk.usage, model=self.model.name), trajectory=trajectory)


def _shortened(request: Request) -> Request:
    """The same conversation with its older tool outputs replaced by a word about their size."""
    old, recent = request.messages[:-RECENT], request.messages[-RECENT:]
    short = tuple(
        replace(message, text=LEFT_OUT.format(len(message.text)))
        if message.role == "tool" and len(message.text) > len(LEFT_OUT) + 8
        else message
        for message in old
    )
    return replace(request, messages=(*short, *recent))
