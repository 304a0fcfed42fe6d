"""A conversation of our own agents as a trajectory in ATIF: what was said, called, seen, and what it cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sharpen.models import Completion, Message, Model
from sharpen.traces import Agent, FinalMetrics, Metrics, Result, Step, ToolCall, Trajectory, to_json
from sharpen.types import Json, Score, Usage

FORMAT = "1"
"""Version of what these agents record."""

Turn = tuple[Message, Completion | None]
"""A message, and the answer it came with when the model said it."""


def told(agent: str, model: Model, turns: Sequence[Turn], *, score: Score | None, **extra: object) -> Json:
    """The conversation as JSON; tool results stand in the step whose call they answer."""
    answers = {message.tool_call_id: message.text for message, _ in turns if message.role == "tool"}
    steps = tuple(
        _step(message, completion, answers) for message, completion in turns if message.role != "tool"
    )
    facts = {**extra, **({"score": {"hard": score.hard, "soft": score.soft}} if score is not None else {})}
    return to_json(
        Trajectory(
            agent=Agent(f"sharpen-{agent}", FORMAT, model.name),
            steps=steps,
            final_metrics=_final(completion.usage for _, completion in turns if completion is not None),
            extra=facts,
        )
    )


def _step(message: Message, completion: Completion | None, answers: dict[str, str]) -> Step:
    if completion is None:
        return Step("user", message.text)
    calls = tuple(ToolCall(call.id, call.name, call.arguments) for call in message.tool_calls)
    results = tuple(
        Result(answers[call.id], source_call_id=call.id) for call in message.tool_calls if call.id in answers
    )
    usage = completion.usage
    metrics = Metrics(usage.input_tokens, usage.output_tokens, cost_usd=usage.usd)
    return Step("agent", message.text, tool_calls=calls, results=results, metrics=metrics)


def _final(usages: Iterable[Usage]) -> FinalMetrics:
    total = total_of(usages)
    return FinalMetrics(total.input_tokens, total.output_tokens, total_cost_usd=total.usd)


def total_of(usages: Iterable[Usage], *, model: str = "") -> Usage:
    """The sum; its price is unknown as soon as one part's is."""
    used = list(usages)
    prices = [usage.usd for usage in used if usage.usd is not None]
    return Usage(
        input_tokens=sum(usage.input_tokens for usage in used),
        output_tokens=sum(usage.output_tokens for usage in used),
        calls=sum(usage.calls for usage in used),
        usd=sum(prices) if len(prices) == len(used) else None,
        model=model,
    )
