"""A simulated student and teacher for a world. They count their calls and are always called simulated.

With `latency` they take (event-loop) time, keyed by the call, so that a loop's use of its workers can be
measured on a virtual clock.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from sharpen.simulate.world import World
from sharpen.skills import Edit, Skill
from sharpen.types import Rollout, Task, digest_of

TEACHER_SECONDS = 2.0


class SimulatedStudent:
    """Plays a world's tasks. `calls` counts attempts, errors included."""

    def __init__(self, world: World, *, latency: bool = False) -> None:
        self.world, self.latency, self.calls = world, latency, 0
        self.fingerprint = _name(world)

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        self.calls += 1
        if self.latency:
            await asyncio.sleep(self.world.latency(task.id, skill.digest, trial))
        seen = self.world.rollout(self.world.truths[task.id], skill.text, trial=trial)
        if seen.score is None:
            return Rollout.failed_to_run(task, reason="simulated outage")
        return Rollout.scored(task, hard=seen.score, feedback=seen.feedback)


class SimulatedTeacher:
    """Proposes a world's edits. An answer depends on the arguments and the trial, not on arrival."""

    def __init__(self, world: World, *, latency: bool = False) -> None:
        self.world, self.latency, self.calls = world, latency, 0
        self.fingerprint = _name(world)

    async def propose(
        self, skill: Skill, evidence: Sequence[Rollout], *, limit: int, memory: str, trial: int
    ) -> list[Edit]:
        self.calls += 1
        if self.latency:
            await asyncio.sleep(TEACHER_SECONDS)
        heard = [(r.task.id, r.score.feedback) for r in evidence if r.score]
        call = digest_of(skill.digest, heard, limit, memory, trial)[:16]
        return self.world.propose(skill.text, [feedback for _, feedback in heard], call=call)[:limit]


def _name(world: World) -> str:
    return f"simulated:{world.name}:{world.seed}:{digest_of(repr(world.spec))[:8]}"
