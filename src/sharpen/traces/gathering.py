"""Sessions gathered in memory as trajectories: for one session at a time, for exports, and for tests.

The trajectory that a track becomes is the one place where what a reader told turns into ATIF. Sub-agents are
put inside the session that started them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from sharpen.traces.session import final_metrics, skills_in
from sharpen.traces.telling import About, Ending
from sharpen.traces.trajectory import Agent, Step, Trajectory


@dataclass
class Gathered:
    """One session as it was told."""

    about: About
    steps: list[Step] = field(default_factory=list)
    ending: Ending = field(default_factory=Ending)

    def place(self, number: int, step: Step) -> None:
        if number < len(self.steps):
            self.steps[number] = step
        else:
            self.steps.append(step)

    def keep(self, count: int) -> None:
        del self.steps[count:]

    def end(self, ending: Ending) -> None:
        self.ending = ending

    def trajectory(self) -> Trajectory:
        return trajectory_of_session(self.about, self.steps, self.ending)


class Gathering:
    """A sink that keeps everything."""

    def __init__(self) -> None:
        self.sessions: list[Gathered] = []

    def begin(self, about: About) -> Gathered:
        self.sessions.append(Gathered(about))
        return self.sessions[-1]


class Nowhere:
    """A sink, and a track of it, that keep nothing: for what nobody wants to have; it counts."""

    def __init__(self) -> None:
        self.sessions = self.steps = 0

    def begin(self, about: About) -> Nowhere:
        self.sessions += 1
        return self

    def place(self, number: int, step: Step) -> None:
        self.steps += 1

    def keep(self, count: int) -> None: ...

    def end(self, ending: Ending) -> None: ...


def trajectory_of_session(
    about: About, steps: Iterable[Step], ending: Ending, extra: Mapping[str, object] | None = None
) -> Trajectory:
    """The session as ATIF; what the format has no field for goes into `extra`."""
    told = tuple(steps)
    used = {name for step in told for call in step.tool_calls for name in skills_in(call)}
    facts: dict[str, object] = {
        "project": about.project or None,
        "parent_session": about.parent or None,
        "relation": about.relation or None,
        "started": about.started or None,
        "ended_as": None if ending.state == "unknown" else ending.state,
        "errors": list(ending.errors) or None,
        "reward": ending.reward,
        "skills_listed": None if ending.skills_listed is None else list(ending.skills_listed),
        "skills_used": sorted(used) or None,
        **about.facts,
        **ending.facts,
        **(extra or {}),
    }
    return Trajectory(
        Agent(about.client or "unknown", about.version or "unknown", ending.model or about.model or None),
        told,
        session_id=about.session_id or None,
        trajectory_id=about.session_id or None,
        final_metrics=final_metrics(ending.spent, len(told)),
        extra={name: value for name, value in facts.items() if value is not None},
    )


def nested(parent: Trajectory, children: Iterable[Trajectory]) -> Trajectory:
    """The trajectory with its sub-agents' runs inside; those without a step are left out."""
    inner = tuple(child for child in children if child.steps)
    return replace(parent, subagent_trajectories=inner)
