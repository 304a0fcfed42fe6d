"""A model that says what it is told to, and one question with a good answer for every matter."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sharpen import Rollout, Skill, Task
from sharpen.models import Price, Request, Simulated
from sharpen.traces import Agent, Step, Trajectory, to_json

SKILL = Skill.from_text(
    "---\nname: questions\ndescription: How to answer.\n---\n# Questions\n\n- Be brief.\n- Be kind.\n\n"
    "<!-- SLOW_UPDATE_START -->\nMind the units.\n<!-- SLOW_UPDATE_END -->\n"
)


def chat(prompt: str, answer: str) -> Mapping[str, Any]:
    return to_json(Trajectory(Agent("a", "1"), (Step("user", prompt), Step("agent", answer))))


def failed(number: int = 1, *, prompt: str | None = None, answer: str = "It was in 1931.") -> Rollout:
    asked = prompt or f"Q: In which year did bridge {number} open?"
    task = Task(f"t{number}", asked, {"answer": f"19{30 + number}"})
    return Rollout.scored(
        task, hard=0, soft=0.5, feedback="more than the year", trajectory=chat(asked, answer)
    )


def solved(number: int = 9) -> Rollout:
    task = Task(f"s{number}", "Q: In which year?", {"answer": "1840"})
    return Rollout.scored(task, hard=1, trajectory=chat("Q: In which year?", "1840"))


class Scripted:
    """Gives its answers in turn, the last one again and again; `requests` is what it was asked, in order."""

    def __init__(self, *answers: object, price: Price | None = None) -> None:
        self._answers = [one if isinstance(one, str) else json.dumps(one) for one in answers]
        self.requests: list[Request] = []
        self.trials: list[int] = []
        self.model = Simulated("scripted", self._say, price or Price(input=1.0, output=4.0))

    def _say(self, request: Request, trial: int) -> str:
        self.requests.append(request)
        self.trials.append(trial)
        return self._answers[min(len(self.requests), len(self._answers)) - 1]


@dataclass(frozen=True)
class Sample:
    """A question, an answer that fits it, one that does not, and the data the good one means."""

    good: Mapping[str, Any]
    bad: Mapping[str, Any]
    data: Mapping[str, Any]
    evidence: tuple[Rollout, ...] = ()
    material: Mapping[str, Any] = field(default_factory=dict)


EDIT = {"op": "append", "target": "", "content": "- Give the year alone.", "file": ""}
PLAIN = {"op": "append", "target": "", "content": "- Give the year alone."}
COUNTED = {**PLAIN, "support_count": 1, "source_type": "", "merge_level": 0}
CAUSE = {"failure_type": "wordy", "count": 2, "description": "whole sentences"}
SUGGESTED = {
    "type": "add_rule",
    "title": "years",
    "motivation": "sentences",
    "instruction": "Ask for the year alone.",
    "priority_hint": "high",
}
WRITTEN = {
    "title": "years",
    "change_summary": ["a rule"],
    "new_skill": "# Questions\n\n- Give the year alone.\n",
}
PAIR = {
    "id": "t1",
    "prompt": "Q: In which year?",
    "before": {"score": 1.0, "feedback": "", "answer": "1931"},
    "after": {"score": 0.0, "feedback": "more than the year", "answer": "It was 1931."},
}
COMPARED = {"improved": [], "regressed": [PAIR], "persistent": [], "stable": []}
FROM_TWO = {"support_count": 2, "source_type": "failure"}

MATTERS: Mapping[str, Sample] = {
    "suggestions": Sample(
        good={
            "reasoning": "r",
            "failure_summary": [CAUSE],
            "revise_suggestions": [{**SUGGESTED, "attempts": [1, 2]}],
        },
        bad={"reasoning": "r", "revise_suggestions": [{**SUGGESTED, "type": "rephrase"}]},
        data={
            "reasoning": "r",
            "failure_summary": [CAUSE],
            "appendix_notes": [],
            "revise_suggestions": [{**SUGGESTED, **FROM_TWO}],
        },
        evidence=(failed(1), failed(2)),
    ),
    "candidates": Sample(
        good={
            "reasoning": "r",
            "success_patterns": ["short"],
            "skill_candidates": [{**WRITTEN, "attempts": []}],
        },
        bad={"reasoning": "r", "skill_candidates": [{**WRITTEN, "new_skill": ""}]},
        data={
            "reasoning": "r",
            "success_patterns": ["short"],
            "appendix_notes": [],
            "skill_candidates": [{**WRITTEN, "support_count": 1, "source_type": "success"}],
        },
        evidence=(solved(),),
    ),
    "merge": Sample(
        good={
            "reasoning": "same",
            "items": [{**EDIT, "sources": [1, 0, 1, 7]}, {**EDIT, "sources": []}, {**EDIT, "sources": [9]}],
        },
        bad={"reasoning": "same", "items": [{**EDIT, "sources": [5]}]},
        data={"reasoning": "same", "items": [{**PLAIN, "sources": [0, 1]}]},
        material={"kind": "edits", "items": [COUNTED, COUNTED], "level": 1, "priority": "failure"},
    ),
    "rank": Sample(
        good={"reasoning": "r", "selected_indices": [1, 1, 0, 12, -1]},
        bad={"reasoning": "r", "selected_indices": [7]},
        data={"reasoning": "r", "selected_indices": [1, 0]},
        material={"kind": "edits", "items": [COUNTED, COUNTED, COUNTED], "budget": 2},
    ),
    "rate": Sample(
        good={"reasoning": "r", "learning_rate": 2, "confidence": 0.75, "risk_notes": ["overlap"]},
        bad={"reasoning": "r", "learning_rate": -1, "confidence": 0.75, "risk_notes": []},
        data={"reasoning": "r", "learning_rate": 2, "confidence": 0.75, "risk_notes": ["overlap"]},
        material={"rollouts": 40, "hard": 0.25, "soft": 0.5, "items": [COUNTED]},
    ),
    "rewrite": Sample(
        good={"reasoning": "r", "change_summary": ["one"], "new_skill": "# Q\n"},
        bad={"reasoning": "r", "change_summary": ["one"], "new_skill": ""},
        data={"reasoning": "r", "change_summary": ["one"], "new_skill": "# Q\n"},
        material={"suggestions": [SUGGESTED]},
    ),
    "slow update": Sample(
        good={"reasoning": "r", "slow_update_content": "Keep answers bare."},
        bad={"reasoning": "r"},
        data={"reasoning": "r", "slow_update_content": "Keep answers bare."},
        material={"previous_skill": "# Old\n", "guidance": "Mind the units.", "comparison": COMPARED},
    ),
    "meta skill": Sample(
        good={"reasoning": "r", "meta_skill_content": "Short rules help."},
        bad={"reasoning": "r", "meta_skill_content": None},
        data={"reasoning": "r", "meta_skill_content": "Short rules help."},
        material={
            "previous_skill": "# Old\n",
            "guidance": "",
            "comparison": COMPARED,
            "meta_skill": "Long rules do not.",
            "history": [{"step": 1, "action": "reject"}],
        },
    ),
    "meta reflect": Sample(
        good={"reasoning": "r", "edits": [EDIT]},
        bad={"reasoning": "r", "edits": [{**EDIT, "op": "delete"}]},
        data={"reasoning": "r", "edits": [COUNTED]},
        material={"history": [{"step": 1, "action": "reject"}], "meta_skill": "Short rules help."},
    ),
    "probe": Sample(
        good={"reasoning": "r", "probes": [{"task": "t1", "question": "Which rule?", "edits": [EDIT]}] * 4},
        bad={"reasoning": "r", "probes": [{"task": "t7", "question": "Which rule?", "edits": []}]},
        data={
            "reasoning": "r",
            "probes": [{"task": "t1", "question": "Which rule?", "edits": [COUNTED]}] * 2,
        },
        evidence=(failed(1), solved(2)),
        material={"turn": 2, "left": 2, "found": [{"task": "t1", "outcome": "failed", "answer": "hm"}]},
    ),
    "consolidate": Sample(
        good={"notes": ["Give the year alone, also when asked politely."]},
        bad={"notes": []},
        data={"notes": ["Give the year alone, also when asked politely."]},
        material={"notes": ["Give the year alone.", "Only the year, also when asked politely."]},
    ),
}
