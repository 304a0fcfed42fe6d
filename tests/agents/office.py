"""A small problem behind a real HTTP server: the model answers by its system prompt alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from faults import FaultServer, Seen
from sharpen.agents import ChatSettings, ChatStudent
from sharpen.models import ModelSettings, open_model
from sharpen.skills import Edit, Skill
from sharpen.tasks.scorers import Exact
from sharpen.types import Rollout, Task, TaskSet

RULES = 4
START = Skill.from_text("# Office\n")
QUICK = ModelSettings(first_wait=0.001, max_wait=2.0, timeout=20.0)


def tasks(train: int = 24, selection: int = 24, test: int = 24) -> TaskSet:
    made = [
        Task(f"t{n:03d}", f"form {n} of kind {n % RULES}", {"answer": f"done {n}"})
        for n in range(train + selection + test)
    ]
    return TaskSet(
        train=made[:train], selection=made[train : train + selection], test=made[train + selection :]
    )


def clerk(seen: Seen) -> str:
    """Fills in a form if the skill names its kind; the trial makes no difference."""
    system, asked = (str(message["content"]) for message in seen.body["messages"])
    number, kind = re.findall(r"\d+", asked)
    return f"done {number}" if f"kind {kind} is" in system else "what is this form?"


class Tutor:
    """Names the kind of the form that went wrong."""

    fingerprint = "tutor"

    async def propose(
        self, skill: Skill, evidence: Sequence[Rollout], *, limit: int, memory: str, trial: int
    ) -> list[Edit]:
        kinds = [rollout.task.prompt.rpartition(" ")[2] for rollout in evidence]
        return [Edit.append(f"- A form of kind {kind} is filled in.") for kind in kinds]


def student(server: FaultServer, settings: ModelSettings = QUICK) -> ChatStudent:
    settings = ModelSettings(**{**vars(settings), "base_url": server.v1})
    return ChatStudent(open_model("openai:clerk", settings), Exact(), ChatSettings(max_tokens=64))
