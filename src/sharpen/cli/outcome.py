"""What came of a training run, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

from sharpen.cli.steps import estimate_in_words, signed
from sharpen.report.sentences import ending
from sharpen.skills import Skill
from sharpen.train import TrainResult
from sharpen.types import Budget, Estimate


def facts_of(
    result: TrainResult, *, start: Skill, run: Path, budget: Budget, simulated: bool
) -> Iterator[tuple[str, str]]:
    """The result, one fact per line."""
    yield "result", _verdict(result, start)
    yield "selection", f"{_estimate(result.selection)}, fresh attempts after the last decision"
    if result.test is not None:
        yield "test", f"{_estimate(result.test)}, looked at once"
    if result.gain is not None and result.accepted:
        words = f"final minus starting skill on {result.gain.tasks} held-out tasks"
        yield "gain", f"{signed(asdict(result.gain))}, {words}"
    refused = sum(len(entry["edits"]) for entry in result.history if entry["kind"] == "refused")
    if refused:
        yield "refused", f"{refused} edits that give answers away"
    yield "spent", spent_in_words(result.spent)
    yield "ended", ending(result.reason)
    if result.reason == "budget":
        yield "the rest", rest_in_words(result.spent, budget)
    yield "skill", f"{run / 'best_skill.md'} ({result.skill.digest[:12]})"
    if simulated:
        yield "note", "simulated: these figures are about the loop, not about any model"


def spent_in_words(spent: Mapping[str, float]) -> str:
    teacher = int(spent["calls"] - spent["rollouts"])
    words = [f"{int(spent['rollouts'])} rollouts"]
    if teacher:
        words.append(f"{teacher} teacher calls")
    if spent.get("tokens"):
        words.append(f"{int(spent['tokens'])} tokens")
    if spent.get("usd"):
        words.append(f"{spent['usd']:.2f} USD")
    return ", ".join(words)


def rest_in_words(spent: Mapping[str, float], budget: Budget) -> str:
    """What going on would cost, at the mean price so far: to the usual length of a run, or as much again."""
    made = max(1.0, spent["rollouts"])
    left = budget.planned - made if budget.rollouts is None and budget.calls is None else made
    if left <= 0:
        left = made
    costs = [f"{left * spent['tokens'] / made:,.0f} tokens"] if spent.get("tokens") else []
    costs += [f"{left * spent['usd'] / made:,.2f} USD"] if spent.get("usd") else []
    known = f" would cost about {' and '.join(costs)}" if costs else ": its price is not known"
    return f"{left:,.0f} more rollouts{known}"


def _verdict(result: TrainResult, start: Skill) -> str:
    if not result.accepted:
        return "nothing was accepted; the skill is the one it started with"
    before, after = (set(filter(str.strip, skill.text.splitlines())) for skill in (start, result.skill))
    return f"a better skill: {len(after - before)} lines new, {len(before - after)} gone"


def _estimate(estimate: Estimate) -> str:
    return f"{estimate_in_words(asdict(estimate))} from {estimate.n} attempts at {estimate.tasks} tasks"
