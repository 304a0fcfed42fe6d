"""A teacher on any model: reads attempts and proposes edits, and gives advice on everything else a loop asks.

An analyst may look at its own edits again for a number of rounds; the last usable ones count. All model calls
go through `asking.py`, can be kept in a store, and are bounded beforehand by `worst_case`. Knows no loop, no
budget and no gate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, Self

from sharpen.agents.record import total_of
from sharpen.errors import SettingsError
from sharpen.evaluate import Question
from sharpen.models import Kept, Message, Model, Request
from sharpen.skills import Edit, Skill
from sharpen.train.teacher.answers import read
from sharpen.train.teacher.asking import Answered, UnusableAnswerError, ask, followed, worst_cases
from sharpen.train.teacher.matters import Data, Matter, matter_of
from sharpen.train.teacher.prompting import check_folder, prompt, prompt_file, prompt_names
from sharpen.train.teacher.settings import Style, TeacherSettings
from sharpen.types import Advice, CallLog, Json, Rollout, Usage, digest_of


class Lesson(list[Edit]):
    """Edits, what was said beside them, and what they cost."""

    def __init__(self, edits: Sequence[Edit] = (), *, usage: Usage, data: Json | None = None) -> None:
        super().__init__(edits)
        self.usage, self.data = usage, dict(data or {})


@dataclass(frozen=True)
class OnModel:
    """What all teachers on models have in common: a model, settings, and a name for both."""

    model: Model
    settings: TeacherSettings = field(default_factory=TeacherSettings)
    style: ClassVar[Style] = "json"

    def __post_init__(self) -> None:
        if self.settings.style != self.style:
            raise SettingsError(
                f"{type(self).__name__} teaches in style {self.style!r}, not {self.settings.style!r};"
                " open_teacher chooses by the style"
            )
        if self.settings.prompts is not None:
            check_folder(self.settings.prompts)

    @property
    def fingerprint(self) -> str:
        """The model, the settings and the words of all prompts; not the folder they were read from."""
        ways = {name: value for name, value in asdict(self.settings).items() if name != "prompts"}
        words = [prompt_file(name, self.settings.prompts) for name in prompt_names()]
        return f"teacher@1({self.model.fingerprint}, {self.style}, {digest_of(ways, words)[:16]})"

    def keep_calls_in(self, log: CallLog) -> Self:
        return replace(self, model=Kept(self.model, log))

    async def aclose(self) -> None:
        await self.model.aclose()


@dataclass(frozen=True)
class ModelTeacher(OnModel):
    """Reflects in JSON. An `AnswerError` is an answer that was not usable even after its repair turn."""

    async def propose(
        self, skill: Skill, evidence: Sequence[Rollout], *, limit: int, memory: str, trial: int
    ) -> Lesson:
        matter = self._matter(Question(skill, tuple(evidence), limit, memory))
        data, usage = await self._refined(matter, trial)
        edits = [Edit.from_json(edit) for edit in data.pop("edits")]
        return Lesson(edits, usage=usage, data=data)

    async def advise(
        self,
        matter: str,
        skill: Skill,
        evidence: Sequence[Rollout],
        *,
        material: Json,
        limit: int,
        memory: str,
        trial: int,
    ) -> Advice:
        asked = self._matter(Question(skill, tuple(evidence), limit, memory, matter, material))
        answered = await self._ask(asked, self.request(asked), trial)
        return Advice(answered.value, answered.usage)

    def worst_case(
        self,
        skill: Skill,
        evidence: Sequence[Rollout],
        *,
        limit: int,
        memory: str,
        matter: str = "edits",
        material: Json | None = None,
    ) -> Usage:
        """The most one call can cost: all rounds, each with its repair turn."""
        asked = self._matter(Question(skill, tuple(evidence), limit, memory, matter, material or {}))
        again = self.settings.rounds - 1 if matter == "edits" else 0
        return worst_cases(
            self.model, self.request(asked), replies=[prompt("refine", self.settings.prompts)] * again
        )

    def request(self, matter: Matter) -> Request:
        """What is sent. Equal questions make equal requests; the trial is no part of them."""
        settings = self.settings
        return Request(
            (Message("user", matter.text),),
            system="\n\n".join(prompt(name, settings.prompts) for name in matter.prompts),
            schema=matter.schema if settings.constrained else None,
            max_tokens=settings.max_tokens,
            temperature=settings.temperature,
            seed=1 if settings.seeded else None,
        )

    async def _refined(self, matter: Matter, trial: int) -> tuple[Data, Usage]:
        """The analyst's answer, after as many rounds as change it and are allowed."""
        request = self.request(matter)
        answered = await self._ask(matter, request, trial)
        spent = [answered.usage]
        for _ in range(self.settings.rounds - 1):
            if not answered.value["edits"]:
                break
            request = followed(request, answered.message, prompt("refine", self.settings.prompts))
            try:
                again = await self._ask(matter, request, trial)
            except UnusableAnswerError as error:  # what was said before is still good
                spent.append(error.usage)
                break
            spent.append(again.usage)
            unchanged = again.value["edits"] == answered.value["edits"]
            answered = again
            if unchanged:
                break
        return answered.value, total_of(spent, model=self.model.name)

    async def _ask(self, matter: Matter, request: Request, trial: int) -> Answered[Data]:
        def settled(value: object) -> Data:
            record: Any = read(matter.record, value)
            return matter.settle(record)

        return await ask(self.model, request, settled, trial=trial)

    def _matter(self, question: Question) -> Matter:
        return matter_of(question, self.settings)
