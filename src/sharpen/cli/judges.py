"""What there is to say about a judge after a run: how often it repeats its own verdict, and what it cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from sharpen.cli.problem import Problem
from sharpen.cli.terminal import say
from sharpen.errors import SharpenError
from sharpen.tasks.scorers import Agreement
from sharpen.types import Usage


@dataclass(frozen=True)
class JudgeReport:
    """A judge's agreement with itself, and all its calls together, those for the agreement included."""

    agreement: Agreement
    usage: Usage

    def facts(self) -> Iterator[tuple[str, str]]:
        cost = f", {self.usage.usd:.2f} USD" if self.usage.usd else ""
        yield "judge", str(self.agreement)
        yield "", f"{self.usage.calls} calls, {self.usage.tokens} tokens{cost}; no part of the budget"

    def as_json(self) -> dict[str, Any]:
        return {"agreement": asdict(self.agreement), "usage": asdict(self.usage)}


def heard_again(problem: Problem) -> JudgeReport | None:
    """The judge asked again about some of the work it judged; None without a judge or without new work."""
    judged = problem.judged
    if judged is None or judged.scorer.judge is None:
        return None
    try:
        agreement = judged.agreement()
    except SharpenError as error:  # the run itself is measured and kept
        say(f"the judge's agreement with itself could not be measured: {error}")
        agreement = None
    usage = judged.scorer.judge.spent.usage
    judged.close()
    return None if agreement is None else JudgeReport(agreement, usage)
