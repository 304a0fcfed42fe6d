"""A trajectory: who acted, step by step what was said, called and observed, and what it cost.

The records follow ATIF 1.8 (Agent Trajectory Interchange Format) field by field; a step's `results` are
what the format calls its observation. Facts the format has no field for (exit codes, skills, scores,
redactions) live in `extra`. These records check nothing; `atif.py` does when one is written or read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Facts = Mapping[str, object]
Content = str | tuple[Facts, ...]
"""Text, or the format's content parts (`{"type": "text" | "image" | "audio", …}`) as they came."""

Source = Literal["system", "user", "agent"]


@dataclass(frozen=True)
class ToolCall:
    """Something the agent asked for."""

    tool_call_id: str
    function_name: str
    arguments: Facts = field(default_factory=dict)
    extra: Facts = field(default_factory=dict)


@dataclass(frozen=True)
class Result:
    """What came back; `source_call_id` names the call, which is in the same step."""

    content: Content | None = None
    source_call_id: str | None = None
    subagent_trajectory_ref: tuple[Facts, ...] = ()
    extra: Facts = field(default_factory=dict)

    @property
    def exit_code(self) -> int | None:
        """The command's exit code where the agent reported one."""
        code = self.extra.get("exit_code")
        return code if isinstance(code, int) else None


@dataclass(frozen=True)
class Metrics:
    """What one step cost; `prompt_tokens` counts the cached ones, too. None is unknown, never zero."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    prompt_token_ids: tuple[int, ...] | None = None
    completion_token_ids: tuple[int, ...] | None = None
    logprobs: tuple[float, ...] | None = None
    extra: Facts = field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """One turn. Its number is its place in the trajectory and is not kept here."""

    source: Source
    message: Content = ""
    timestamp: str | None = None
    model_name: str | None = None
    reasoning_effort: str | float | None = None
    reasoning_content: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    results: tuple[Result, ...] = ()
    metrics: Metrics | None = None
    is_copied_context: bool | None = None
    llm_call_count: int | None = None
    extra: Facts = field(default_factory=dict)


@dataclass(frozen=True)
class FinalMetrics:
    """What the whole run cost, as reported."""

    total_prompt_tokens: int | None = None
    total_completion_tokens: int | None = None
    total_cached_tokens: int | None = None
    total_cost_usd: float | None = None
    total_steps: int | None = None
    extra: Facts = field(default_factory=dict)


@dataclass(frozen=True)
class Agent:
    """Who acted."""

    name: str
    version: str
    model_name: str | None = None
    tool_definitions: tuple[Facts, ...] | None = None
    extra: Facts = field(default_factory=dict)


@dataclass(frozen=True)
class Trajectory:
    """One run of one agent, sub-agents' runs inside it."""

    agent: Agent
    steps: tuple[Step, ...]
    session_id: str | None = None
    trajectory_id: str | None = None
    notes: str | None = None
    final_metrics: FinalMetrics | None = None
    continued_trajectory_ref: str | None = None
    subagent_trajectories: tuple[Trajectory, ...] = ()
    extra: Facts = field(default_factory=dict)
