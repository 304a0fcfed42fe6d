"""What a run amounts to, in words: the headline, the notes, and how numbers are spelled.

One place for the wording, so that the terminal and the page say the same. Claims no more than was measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from sharpen.report.record import RunRecord
from sharpen.report.spend import Paid, Spend
from sharpen.report.status import Status
from sharpen.report.versions import StepView
from sharpen.types import Estimate

Tone = Literal["good", "flat", "bad", "open"]
_FRESH = "the final pass is made of fresh attempts."
MINUS = "−"
_ACTIONS = {
    "accept_new_best": "accepted",
    "accept": "accepted",
    "force_accept": "accepted, no gate",
    "reject": "rejected",
    "skip_no_patches": "no patches",
    "skip_no_rewrite": "no rewrite",
    "skip_no_decision": "undecided",
    "skip_first_epoch": "first epoch",
    "no_content": "nothing to say",
    "skip": "nothing to do",
    "inject_placeholder": "placeholder",
}
_ENDINGS = {
    "converged": "the search found nothing more to try",
    "budget": "the budget for searching was spent",
    "epochs": "all epochs were done",
    "pooled": "the pooled phase had weighed all edits together",
    "teacher is not helping": "the teacher's edits did not help",
}


@dataclass(frozen=True)
class Headline:
    """The run in a sentence or two; the tone is what a reader may colour it by."""

    text: str
    tone: Tone


def headline_of(record: RunRecord, *, status: Status, steps: Sequence[StepView], spend: Spend) -> Headline:
    if record.result is None:
        return Headline(_unfinished(status, steps, spend), "open")
    if not record.result.get("accepted"):
        return Headline(_nothing_accepted(record, steps), "flat")
    gain = record.outcome("gain")
    text = f"Accepted: selection {score(record.outcome('selection'))}"
    if gain is None:
        return Headline(f"{text}. There was no test split to confirm it on.", "good")
    text = f"{text}; test gain {difference(gain)} over {gain.tasks or gain.n} tasks"
    if gain.low > 0:
        return Headline(f"{text}.", "good")
    if gain.high < 0:
        return Headline(f"{text}: on test it does worse than the starting skill.", "bad")
    return Headline(f"{text}: the test does not show that it helps.", "flat")


def notes_of(record: RunRecord, spend: Spend) -> tuple[str, ...]:
    """What a careful reader should know about these numbers."""
    return tuple(_notes(record, spend))


def ending(reason: str) -> str:
    """Why a run ended, spelled out."""
    return _ENDINGS.get(reason, reason)


def action(name: str) -> str:
    """How a step or the end of an epoch went."""
    return _ACTIONS.get(name, name.replace("_", " ") or "not recorded")


def share(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def place(step: StepView) -> str:
    """Where in the run a gate decided."""
    return step.place if step.step is None else f"step {step.place}"


def curve_note(gate: str) -> str:
    """How far the scores that a gate measured can be believed."""
    if gate == "race":
        return f"A gate stops as soon as its decision is clear, so its scores lean towards it; {_FRESH}"
    if gate == "none":
        return f"There was no gate; {_FRESH}"
    return f"An accepted score is one that happened to be high enough, so it leans high; {_FRESH}"


def score(estimate: Estimate | None) -> str:
    if estimate is None:
        return "not measured"
    return f"{estimate.mean:.2f} [{estimate.low:.2f}, {estimate.high:.2f}]"


def difference(estimate: Estimate | None) -> str:
    if estimate is None:
        return "not measured"
    return f"{signed(estimate.mean)} [{_minus(estimate.low)}, {_minus(estimate.high)}]"


def evidence(step: StepView) -> str:
    """Evidence against what the gate asked for; a dash for gates that do not weigh any."""
    if step.evidence is None or step.needed is None:
        return "–"
    return f"{_compact(step.evidence)} of {_compact(step.needed)}"


def money(role: Paid) -> str:
    if role.usd is None:
        return "unknown"
    digits = 2 if role.usd >= 1 else 4
    return f"{'at least ' if role.usd_floor else ''}${role.usd:,.{digits}f}"


def count(number: int | None) -> str:
    return "unknown" if number is None else f"{number:,}"


def duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s"


def plural(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def signed(value: float) -> str:
    return f"{round(value, 2) + 0.0:+.2f}".replace("-", MINUS)  # + 0.0 turns a negative zero


def _minus(value: float) -> str:
    return f"{round(value, 2) + 0.0:.2f}".replace("-", MINUS)


def _compact(value: float) -> str:
    if value >= 1e6:
        return "over a million"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _unfinished(status: Status, steps: Sequence[StepView], spend: Spend) -> str:
    begun = {
        "running": "Running",
        "stopped": "Stopped before its end",
        "unclear": "Unfinished; its process cannot be seen from here",
    }[status.state]
    limit = spend.budget.get("rollouts")
    spent = f"{spend.rollouts:,} of {limit:,.0f} rollouts" if limit else plural(spend.rollouts, "rollout")
    accepted = [step for step in steps if step.accepted]
    found = "nothing accepted yet"
    if accepted:
        last = accepted[-1]
        found = f"best so far {last.version}, {difference(last.difference)} over {last.parent} at its gate"
    more = " Run the same command again to go on." if status.state == "stopped" else ""
    return f"{begun}: {spent} spent; {found}.{more}"


def _nothing_accepted(record: RunRecord, steps: Sequence[StepView]) -> str:
    why = _why_nothing(record, steps, str((record.result or {}).get("reason", "")))
    kept = f"The starting skill stays, selection {score(record.outcome('selection'))}."
    return f"Nothing was accepted: {why}. {kept}"


def _why_nothing(record: RunRecord, steps: Sequence[StepView], reason: str) -> str:
    if steps:
        last = steps[-1]
        counts = f"wins {last.wins}, ties {last.ties}, losses {last.losses}"
        refused = "the gate could not decide" if last.decision == "not enough data" else "the gate said no"
        several = f" to all {len(steps)} candidates, last" if len(steps) > 1 else ""
        return f"{refused}{several} ({last.reason}; {counts})"
    tried = sum(len(event.data.get("edits") or ()) for event in record.of_kind("drop", "group"))
    if tried:
        return f"none of the {plural(tried, 'edit')} tried on train held ({ending(reason)})"
    return f"no candidate reached the gate ({ending(reason)})"


def _notes(record: RunRecord, spend: Spend) -> Iterator[str]:
    for event in record.of_kind("start"):
        for who in event.data.get("unnamed") or ():
            yield f"The {who} has no fingerprint: its class name stands for it, and a change goes unnoticed."
    gate = record.config.get("gate")
    if gate == "none":
        yield "There was no gate: versions were accepted without being measured."
    if gate == "strict":
        yield (
            "The strict gate compares single passes and is easily fooled by luck: "
            "trust the final pass, not the gate's scores."
        )
    if str(record.config.get("student", "")).startswith("simulated:"):
        yield "Student and teacher were simulated; the numbers say nothing about a model."
    if spend.lost:
        yield f"{plural(spend.lost, 'call')} in flight were lost when a process ended; they are not charged."
    if spend.errors:
        share = spend.errors / spend.rollouts
        yield f"{plural(spend.errors, 'rollout')} ({share:.0%}) ended in an error and measured nothing."
