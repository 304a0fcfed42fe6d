"""The simplest student: one question to a model, with the skill as its system prompt.

The task's prompt is the user's message, pictures in `data.images` go with it, and a scorer judges the answer.
An answer that was cut off is not judged as if it were whole. Knows models and scorers; knows no provider.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sharpen.agents.record import told
from sharpen.agents.skill_files import with_references
from sharpen.errors import SettingsError, TaskError
from sharpen.models import Completion, ContextError, Image, Kept, Message, Model, Request
from sharpen.skills import Skill
from sharpen.tasks.scoring import Answer, Scorer, judged
from sharpen.types import CallLog, Rollout, Score, Task, Usage


@dataclass(frozen=True)
class ChatSettings:
    """How the question is put."""

    max_tokens: int = 1024  # of an answer; a longer one is cut and counts as failed
    temperature: float | None = None  # None leaves it to the model's own default
    seeded: bool = True  # send the trial's number as seed, for providers that honour one
    stop: tuple[str, ...] = ()  # texts at which the answer ends

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise SettingsError(f"max_tokens must be at least 1, not {self.max_tokens!r}")
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise SettingsError(f"temperature must lie in 0..2, not {self.temperature!r}")


@dataclass(frozen=True)
class ChatStudent:
    """A model with a skill in hand."""

    model: Model
    scorer: Scorer
    settings: ChatSettings = ChatSettings()

    @property
    def fingerprint(self) -> str:
        s = self.settings
        ways = f"{s.max_tokens}|{s.temperature}|{'seeded' if s.seeded else 'unseeded'}|{list(s.stop)}"
        return f"chat({self.model.fingerprint}, {self.scorer.name}, {ways})"

    def keep_calls_in(self, log: CallLog) -> ChatStudent:
        return replace(self, model=Kept(self.model, log))

    async def aclose(self) -> None:
        await self.model.aclose()

    def worst_case(self, task: Task, skill: Skill) -> Usage | None:
        return self.model.worst_case(self.request(task, skill))

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        request = self.request(task, skill)
        try:
            completion = await self.model.complete(request, trial=trial)
        except ContextError as error:  # this task's own misfortune: others may fit
            return Rollout.failed_to_run(task, reason=str(error))
        score = await self._score(task, completion)
        return Rollout(
            task,
            score,
            usage=replace(completion.usage, model=self.model.name),
            trajectory=told(
                "chat",
                self.model,
                [(request.messages[-1], None), (completion.message, completion)],
                score=score,
            ),
        )

    def request(self, task: Task, skill: Skill) -> Request:
        settings = self.settings
        return Request(
            messages=(Message("user", task.prompt, images=images_of(task)),),
            system=with_references(skill),
            max_tokens=settings.max_tokens,
            temperature=settings.temperature,
            seed=1 if settings.seeded else None,
            stop=settings.stop,
        )

    async def _score(self, task: Task, completion: Completion) -> Score:
        if completion.truncated:
            return Score(
                0, 0, f"the answer was cut off at {self.settings.max_tokens} tokens: it must be shorter"
            )
        if completion.finish == "filter":
            return Score(0, 0, "the provider's filter withheld the answer")
        return await judged(self.scorer, task, Answer(completion.text))


def images_of(task: Task) -> tuple[Image, ...]:
    """Pictures a task carries: `data.images`, a list of {"data": base64, "media_type": …}."""
    found = task.data.get("images", ())
    if not isinstance(found, (list, tuple)) or not all(
        isinstance(one, Mapping) and "data" in one for one in found
    ):
        raise TaskError(
            f'task {task.id!r}: data.images must be a list of {{"data": base64, "media_type": …}}'
        )
    return tuple(
        Image.from_base64(str(one["data"]), str(one.get("media_type", "image/png"))) for one in found
    )
