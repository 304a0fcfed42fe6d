"""A model that talks with the task: it answers, the task answers back, until the task is over.

The skill is the system prompt, as in a chat. What the task says comes from the suite's `Turns`: a text world,
or what became of a program. Turns and tokens of one attempt are bounded before each call.
"""

from __future__ import annotations

import asyncio
from dataclasses import asdict, dataclass, field, replace

from sharpen.agents.chat import images_of
from sharpen.agents.record import Turn, told, total_of
from sharpen.agents.skill_files import with_references
from sharpen.errors import ProviderError, SettingsError
from sharpen.models import ContextError, Kept, Message, Model, Request
from sharpen.skills import Skill
from sharpen.tasks.scoring import Scorer, judged
from sharpen.tasks.turns import Dialogue, Turns
from sharpen.types import CallLog, Rollout, Task, Usage, digest_of

CUT_OFF = "That answer was cut off and was not used. Be brief."


@dataclass(frozen=True)
class TurnSettings:
    """How long a conversation may go on."""

    max_turns: int | None = None  # answers of the model; None takes the suite's own number
    max_tokens: int = 1024  # of one answer
    tokens: int = 200_000  # of one attempt, input and output of all its calls
    temperature: float | None = None  # None leaves it to the model's own default
    seeded: bool = True  # send the trial's number as seed

    def __post_init__(self) -> None:
        for name in ("max_turns", "max_tokens", "tokens"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise SettingsError(f"{name} must be at least 1, not {value!r}")
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise SettingsError(f"temperature must lie in 0..2, not {self.temperature!r}")


@dataclass(frozen=True)
class TurnStudent:
    """A model with a skill in hand and somebody to talk to."""

    model: Model
    scorer: Scorer
    turns: Turns
    settings: TurnSettings = field(default_factory=TurnSettings)

    @property
    def fingerprint(self) -> str:
        ways = digest_of(asdict(self.settings), self._most)[:16]
        return f"turns({self.model.fingerprint}, {self.scorer.name}, {self.turns.name}, {ways})"

    @property
    def _most(self) -> int:
        return self.settings.max_turns or self.turns.most

    def keep_calls_in(self, log: CallLog) -> TurnStudent:
        return replace(self, model=Kept(self.model, log))

    async def aclose(self) -> None:
        await self.model.aclose()

    def worst_case(self, task: Task, skill: Skill) -> Usage | None:
        """The attempt's own bound on tokens, at the price of the dearest of them."""
        first = self.model.worst_case(self._request(task, skill))
        usd = None
        if first.usd is not None:
            usd = self.settings.tokens * first.usd / max(1, min(first.input_tokens, first.output_tokens))
        return Usage(self.settings.tokens, 0, self._most, usd, self.model.name)

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        dialogue = await asyncio.to_thread(self.turns.open, task)
        try:
            turns, ending = await self._talk(self._request(task, skill), dialogue, trial)
            answer = dialogue.answer()
        except ContextError as error:
            return Rollout.failed_to_run(task, reason=str(error))
        finally:
            await asyncio.to_thread(dialogue.close)
        score = await judged(self.scorer, task, answer)
        if ending and score.hard < 1:
            score = replace(score, feedback=f"{score.feedback}\nthe student was stopped: {ending}".strip())
        usage = total_of((said.usage for _, said in turns if said is not None), model=self.model.name)
        return Rollout(task, score, usage=usage, trajectory=told("turns", self.model, turns, score=score))

    def _request(self, task: Task, skill: Skill) -> Request:
        settings = self.settings
        return Request(
            messages=(Message("user", task.prompt, images=images_of(task)),),
            system=with_references(skill),
            max_tokens=settings.max_tokens,
            temperature=settings.temperature,
            seed=1 if settings.seeded else None,
        )

    async def _talk(self, request: Request, dialogue: Dialogue, trial: int) -> tuple[list[Turn], str]:
        """The conversation, and why it ended before the task was over; empty when it was."""
        first = request.messages[-1]
        opening = await asyncio.to_thread(dialogue.begin)
        message = replace(first, text=f"{first.text}\n\n{opening}".strip())
        turns: list[Turn] = [(message, None)]
        for _ in range(self._most):
            request = replace(request, messages=tuple(message for message, _ in turns))
            spent = total_of(said.usage for _, said in turns if said is not None)
            if spent.tokens + self.model.worst_case(request).tokens > self.settings.tokens:
                return turns, f"its next call could have crossed {self.settings.tokens} tokens"
            try:
                completion = await self.model.complete(request, trial=trial)
            except ProviderError as error:
                error.usage = spent
                raise
            turns.append((completion.message, completion))
            back = (
                CUT_OFF if completion.truncated else await asyncio.to_thread(dialogue.reply, completion.text)
            )
            if back is None:
                return turns, ""
            turns.append((Message("user", back), None))
        return turns, f"it was not done after {self._most} turns"
