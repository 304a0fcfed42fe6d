"""A script for a whole training run: one server that is student, teacher and judge, told apart by model name.

The student's answer to an exercise is right exactly when the skill holds the rule of the exercise's kind, so
what a run gains is known beforehand. The teacher reads the failures it is shown and proposes the rules they
need; each of its matters is told by the fields of the JSON schema it has to fill. The judge is content with
whatever is not the student's helpless answer.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from .script import Ask, Reply, Say

STUDENT, TEACHER, JUDGE = "student", "teacher", "judge"
HELPLESS = "I have not learned how to do this."
NONSENSE = "The weather has been lovely of late, has it not?"
FAILED = re.compile(r"^## Attempt \d+: task (.+), failed", re.MULTILINE)
RULE = re.compile(r"RULE-(\w+)")
LINE = re.compile(r"^\[(\d+)\] (.*)$", re.MULTILINE)
SKILL = re.compile(r"<skill>\n(.*?)\n</skill>", re.DOTALL)
TAG = re.compile(r"</?\w+>")

Fields = dict[str, Any]
Teach = Callable[["School", str, Fields, str], str]


def rule(kind: str) -> str:
    return f"- RULE-{kind}: mind {kind}."


@dataclass(frozen=True)
class Exercise:
    """A task as the school knows it; `right` are the replies of an attempt in turn, the last one repeated."""

    id: str
    prompt: str
    kind: str
    right: tuple[Reply, ...]
    images: tuple[str, ...] = ()


@dataclass
class School:
    """The script. `held_back` is a kind whose rule only the slow update teaches; `teach` is the teacher."""

    exercises: dict[str, Exercise]
    held_back: str = ""
    teach: Teach = field(
        default=lambda school, matter, fields, text: json.dumps(_taught(school, matter, text))
    )
    matters: list[str] = field(default_factory=list)
    failures: dict[str, None] = field(default_factory=dict)

    @classmethod
    def of(cls, exercises: Iterable[Exercise], **more: Any) -> School:
        return cls({one.id: one for one in exercises}, **more)

    @property
    def asked(self) -> Counter[str]:
        """How often the teacher was asked about each matter."""
        return Counter(self.matters)

    @property
    def answers(self) -> list[str]:
        """The right answers of all failures the teacher was shown so far, without the tags around them."""
        last = (self.exercises[name].right[-1] for name in self.failures)
        return [TAG.sub("", reply.text) for reply in last if isinstance(reply, Say)]

    def __call__(self, ask: Ask) -> Reply:
        body = json.loads(ask.body)
        if ask.model == STUDENT:
            return self._attempt(ask, body)
        fields = body["response_format"]["json_schema"]["schema"]["properties"]
        if ask.model == JUDGE:
            return Say(json.dumps(_judged(fields, ask.user)))
        matter = matter_of(fields)
        self.matters.append(matter)
        self.failures |= dict.fromkeys(FAILED.findall(ask.user))
        return Say(self.teach(self, matter, fields, ask.user))

    def _attempt(self, ask: Ask, body: Fields) -> Reply:
        exercise = self._exercise(ask)
        system = "".join(m["content"] for m in body["messages"] if m["role"] == "system")
        if exercise is None or f"RULE-{exercise.kind}:" not in system:
            return Say(HELPLESS)
        turn = sum(m["role"] == "assistant" for m in body["messages"])
        return exercise.right[min(turn, len(exercise.right) - 1)]

    def _exercise(self, ask: Ask) -> Exercise | None:
        for one in self.exercises.values():
            if one.prompt in ask.user and all(image in ask.body for image in one.images):
                return one
        return None

    def missing(self, text: str) -> list[str]:
        """The kinds of the failures in a text, without what is held back."""
        kinds = (self.exercises[name].kind for name in FAILED.findall(text) if name in self.exercises)
        return [kind for kind in dict.fromkeys(kinds) if kind != self.held_back]


def matter_of(fields: Fields) -> str:
    """What a teacher is asked about, by the fields of the answer."""
    telling = {
        "selected_indices": "rank",
        "items": "merge",
        "learning_rate": "rate",
        "slow_update_content": "slow update",
        "meta_skill_content": "meta skill",
        "probes": "probe",
        "notes": "consolidate",
        "revise_suggestions": "suggestions",
        "skill_candidates": "candidates",
        "new_skill": "rewrite",
        "failure_summary": "failures",
        "success_patterns": "successes",
    }
    return next((matter for name, matter in telling.items() if name in fields), "meta reflect")


def nonsense(school: School, matter: str, fields: Fields, text: str) -> str:
    """A teacher that only talks."""
    return NONSENSE


def quoting(school: School, matter: str, fields: Fields, text: str) -> str:
    """A teacher that gives the answers away, whatever it is asked, instead of saying how to find them."""
    said = [f"- If asked, say {answer}." for answer in school.answers]
    whole = "\n".join([_skill_in(text), *said]) + "\n"
    told = {
        **_taught(school, matter, text),
        "edits": [_edit(one) for one in said],
        "revise_suggestions": [{**_suggested("none"), "instruction": one} for one in said],
        "skill_candidates": [{"title": "all of them", "new_skill": whole, "change_summary": said}],
        "new_skill": whole,
        "slow_update_content": "\n".join(said),
        "appendix_notes": said,
        "notes": said,
    }
    return json.dumps({name: told[name] for name in fields})


# -- the good teacher --------------------------------------------------------------------------------------


def _taught(school: School, matter: str, text: str) -> Fields:
    answers: dict[str, Callable[[], Fields]] = {
        "failures": lambda: _analysis("edits", [_edit(rule(kind)) for kind in school.missing(text)]),
        "successes": lambda: _analysis("edits", []),
        "suggestions": lambda: _analysis("revise_suggestions", [_suggested(k) for k in school.missing(text)]),
        "candidates": lambda: _analysis("skill_candidates", _candidates(school.missing(text), text)),
        "merge": lambda: {"items": _merged(text), "reasoning": "the same, once"},
        "rank": lambda: {"selected_indices": [int(n) for n, _ in LINE.findall(text)], "reasoning": ""},
        "rate": lambda: {"learning_rate": 2, "confidence": 0.8, "risk_notes": [], "reasoning": ""},
        "rewrite": lambda: _rewritten(_skill_in(text), RULE.findall(text)),
        "slow update": lambda: {"slow_update_content": _guidance(school), "reasoning": ""},
        "meta skill": lambda: {"meta_skill_content": "Name one rule per failure.", "reasoning": ""},
        "meta reflect": lambda: {"edits": [_edit("- Read the task twice.")], "reasoning": ""},
        "probe": lambda: {"probes": _probes(text), "reasoning": ""},
        "consolidate": lambda: {"notes": ["Follow the rules that are there."]},
    }
    return answers[matter]()


def _analysis(name: str, proposed: list[Fields]) -> Fields:
    """Every field an analyst may be asked for; the teacher's records ignore those they do not know."""
    missing = [{"failure_type": "rule missing", "count": len(proposed), "description": "no rule for it"}]
    return {
        name: [{**one, "attempts": [1]} for one in proposed],
        "failure_summary": missing if proposed else [],
        "success_patterns": [],
        "appendix_notes": [f"the rule of exercise {len(proposed)} was there and not followed"],
        "reasoning": "each failure lacks a rule",
    }


def _edit(content: str) -> Fields:
    return {"op": "append", "target": "", "content": content, "file": ""}


def _suggested(kind: str) -> Fields:
    return {
        "type": "add_rule",
        "title": f"kind {kind}",
        "motivation": "it is missing",
        "instruction": rule(kind),
        "priority_hint": "high",
    }


def _candidates(kinds: list[str], text: str) -> list[Fields]:
    if not kinds:
        return []
    return [{"title": "with the rules", **_rewritten(_skill_in(text), kinds)}]


def _rewritten(skill: str, kinds: Iterable[str]) -> Fields:
    new = [rule(kind) for kind in dict.fromkeys(kinds) if rule(kind) not in skill]
    return {"new_skill": "\n".join([skill, *new]) + "\n", "change_summary": new, "reasoning": ""}


def _skill_in(text: str) -> str:
    found = SKILL.search(text)
    return found[1] if found else ""


def _merged(text: str) -> list[Fields]:
    """Proposals that say the same become one, with the numbers of all of them."""
    places: dict[str, list[int]] = {}
    proposals: dict[str, Fields] = {}
    for place, line in LINE.findall(text):
        proposal = json.loads(line)
        said = str(proposal.get("content") or proposal.get("instruction") or proposal.get("new_skill"))
        places.setdefault(said, []).append(int(place))
        proposals.setdefault(said, proposal)
    return [{**proposal, "sources": places[said]} for said, proposal in proposals.items()]


def _guidance(school: School) -> str:
    return rule(school.held_back) if school.held_back else "Keep to the rules."


def _probes(text: str) -> list[Fields]:
    """One question about the first failure, asked once."""
    if "What earlier probes found" in text:
        return []
    return [
        {"task": name, "question": "What did you lack?", "edits": []} for name in FAILED.findall(text)[:1]
    ]


def _judged(fields: Fields, text: str) -> Fields:
    done = HELPLESS not in text
    if "grade" in fields:
        return {"evidence": "as told", "grade": "correct" if done else "not_attempted"}
    listed = re.findall(
        r"^\d+\. ", text.partition("# The criteria")[2].partition("# The work")[0], re.MULTILINE
    )
    return {"criteria": [{"evidence": "as told", "met": done} for _ in listed]}
