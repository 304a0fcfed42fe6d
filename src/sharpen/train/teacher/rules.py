"""A teacher for small models, which cannot write JSON edits: one plain sentence per failed attempt.

The wrong and the expected answer stand side by side in a short prompt, and what comes back is cleaned into
one rule or thrown away. A second trial of the same question gives another sentence, and the gate finds out
which of them help. Every other matter is refused, so that loops use their own versions.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from sharpen.agents.record import total_of
from sharpen.errors import ProviderError
from sharpen.evaluate.leaks import gold_of
from sharpen.models import Completion, Message, Request
from sharpen.skills import Edit, Skill
from sharpen.traces.compaction import cut, entries_of
from sharpen.train.teacher.asking import UnusableAnswerError
from sharpen.train.teacher.evidence import feedback_of
from sharpen.train.teacher.model_teacher import Lesson, OnModel
from sharpen.train.teacher.prompting import prompt
from sharpen.train.teacher.settings import Style, TeacherSettings
from sharpen.types import Rollout, Usage

SENTENCE = 80
"""Tokens of a sentence at most."""
TASK, ANSWER, SAID = 400, 120, 80
"""Tokens of a task, of each answer and of the verifier's words: a window of 2,048 tokens is enough."""
WARMTH = 0.4
"""Temperature where none is set: small models ramble at their default, and at 0 every trial says the same."""
STOPS = ("\n\n", "\nTask:")
"""Where small models begin to explain, or to invent the next task."""
FEWEST, MOST = 3, 40
"""Words of a rule."""
QUOTED = 6
"""Words in a row that make a quotation."""
FREE = Usage(calls=0, usd=0.0)

_LEAD = re.compile(
    r"^(?:[-*_•>#\s]+|\d+[.)]\s+|(?:the\s+)?(?:rule|sentence|instruction|answer)\s*\d*\s*:\s*)+", re.I
)
_WRAPS = (('"', '"'), ("'", "'"), ("“", "”"), ("`", "`"))
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class RuleTeacher(OnModel):
    """Writes rules. Solved attempts teach it nothing."""

    style: ClassVar[Style] = "rules"
    settings: TeacherSettings = field(default_factory=lambda: TeacherSettings(style="rules"))

    async def propose(
        self, skill: Skill, evidence: Sequence[Rollout], *, limit: int, memory: str, trial: int
    ) -> Lesson:
        failed = _failed(evidence, limit)
        requests = [self.request(rollout) for rollout in failed]
        sample = trial + len(memory.splitlines())  # a new refusal starts the trials anew, not the sentences
        answers = await asyncio.gather(
            *(self.model.complete(request, trial=sample) for request in requests), return_exceptions=True
        )
        raised = next((answer for answer in answers if isinstance(answer, BaseException)), None)
        completions = [answer for answer in answers if isinstance(answer, Completion)]
        usage = total_of((one.usage for one in completions), model=self.model.name) if failed else FREE
        if raised is not None:  # what came is kept with its calls, and asked for again at no cost
            if isinstance(raised, ProviderError):
                raised.usage = usage if completions else raised.usage
            raise raised
        asked = [request.messages[0].text for request in requests]
        rules = [rule_in(said, question) for said, question in zip(completions, asked, strict=True)]
        if failed and not any(rules):
            said = completions[-1].text.strip()[:80]
            raise UnusableAnswerError(
                f"{self.model.name} wrote no usable rule; its last words: {said!r}", usage
            )
        fresh = [f"- {rule}" for rule in dict.fromkeys(rules) if rule]
        new = [line for line in fresh if line not in skill.text and line not in memory]
        support = {line: rules.count(line.removeprefix("- ")) for line in new}
        edits = [
            Edit("append", content=line, support_count=support[line], source_type="failure") for line in new
        ]
        return Lesson(edits, usage=usage)

    def worst_case(self, skill: Skill, evidence: Sequence[Rollout], *, limit: int, memory: str) -> Usage:
        """The most one call can cost: a sentence for each failed attempt."""
        failed = _failed(evidence, limit)
        asked = (self.model.worst_case(self.request(rollout)) for rollout in failed)
        return total_of(asked, model=self.model.name) if failed else FREE

    def request(self, rollout: Rollout) -> Request:
        settings = self.settings
        expected = " | ".join(gold_of(rollout.task)) if settings.show_reference else ""
        text = prompt(
            "rule",
            settings.prompts,
            task=cut(rollout.task.prompt.strip(), TASK),
            answer=cut(last_words(rollout), ANSWER),
            expected=cut(expected, ANSWER) or "(not known)",
            feedback=cut(feedback_of(rollout).strip(), SAID) or "(nothing)",
        )
        return Request(
            (Message("user", text),),
            max_tokens=min(settings.max_tokens, SENTENCE),
            stop=STOPS,
            temperature=WARMTH if settings.temperature is None else settings.temperature,
            seed=1 if settings.seeded else None,
        )


def last_words(rollout: Rollout) -> str:
    """The student's answer: the last thing it said that is not the task's own prompt."""
    asked = rollout.task.prompt.strip()
    said = [entry.text for entry in entries_of(rollout.trajectory) if entry.kind == "said"]
    answers = [text for text in said if text != asked]
    return answers[-1] if answers else "(not recorded)"


def rule_in(completion: Completion, question: str) -> str:
    """The sentence as a rule; empty when it is none: cut off, too short or long, or a quotation."""
    if completion.finish != "stop":
        return ""
    lines = map(_bare, completion.text.splitlines())
    line = next((line for line in lines if line and not line.endswith(":")), "")  # "Here is the rule:"
    words = _WORD.findall(line.casefold())
    if not FEWEST <= len(words) <= MOST or _quotes(words, question):
        return ""
    return line[0].upper() + line[1:] + ("" if line[-1] in ".!?:)" else ".")


def _failed(evidence: Sequence[Rollout], limit: int) -> list[Rollout]:
    return [rollout for rollout in evidence if rollout.outcome == "failed"][:limit]


def _bare(line: str) -> str:
    """The line without bullet, number, "Rule:", emphasis and quotation marks around it."""
    before = None
    while line != before:
        before = line
        line = _LEAD.sub("", line.strip()).rstrip(" *_")
        for left, right in _WRAPS:
            if len(line) > 2 and line.startswith(left) and line.endswith(right):
                line = line[1:-1]
    return line


def _quotes(words: Sequence[str], question: str) -> bool:
    """Do several words in a row stand in the question, be it the task in it or our own words?"""
    asked = f" {' '.join(_WORD.findall(question.casefold()))} "
    runs = (words[at : at + QUOTED] for at in range(len(words) - QUOTED + 1))
    return any(f" {' '.join(run)} " in asked for run in runs)
