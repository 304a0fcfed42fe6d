"""A training run told while it happens: one readable line per event, and a bar when somebody watches.

Lines are made from the events that `on_event` delivers and from nothing else. An event this module does not
know is told with its plain values, so that no step goes unmentioned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from rich.text import Text

from sharpen.cli.progress import Bar
from sharpen.report.sentences import action
from sharpen.report.visible import visible
from sharpen.store.step_records import payload
from sharpen.types import Budget, Json

HEAD = "step  spent   left  what"
LONGEST_EDIT = 60
STYLES = {
    "adopt": "green",
    "drop": "dim",
    "gate": "bold",
    "step": "cyan",
    "refused": "yellow",
    "final": "bold",
    "test": "bold",
}
MOST_EDITS = 4
"""Edits that a line spells out; the others are counted."""
PLUMBING = frozenset({"number", "kind", "rollouts", "calls", "skill", "candidate", "parent", "plan", "step"})


def step_line(kind: str, event: Json, budget: Budget) -> str:
    """The event as one line: its number, what was spent and is left, and what happened."""
    spent, left = _purse(event, budget)
    told = TOLD.get(kind, _anything)(event)
    name = kind.replace("_", " ")
    return visible(f"{event.get('number', 0):>4}  {spent:>5}  {left:>5}  {name:<6}  {told}".rstrip())


def edit_in_words(edit: Json) -> str:
    """What the edit does, with the first line of each text."""
    op, target, content = (str(edit.get(key) or "") for key in ("op", "target", "content"))
    if op == "delete":
        return f"delete “{_short(target)}”"
    if op == "replace":
        return f"replace “{_short(target, 40)}” by “{_short(content, 40)}”"
    after = f" after “{_short(target, 30)}”" if op == "insert_after" else ""
    return f"add “{_short(content)}”{after}"


def verdict_in_words(verdict: Json) -> str:
    """Decision, reason, counts and the difference with its interval."""
    counts = f"{verdict.get('wins', 0)} won, {verdict.get('ties', 0)} tied, {verdict.get('losses', 0)} lost"
    words = f"{verdict.get('decision')}: {verdict.get('reason')}; {counts}"
    difference = verdict.get("difference")
    return f"{words}; {signed(difference)}" if difference else words


def estimate_in_words(estimate: Json | None) -> str:
    if not estimate:
        return "not measured"
    return f"{estimate['mean']:.3f} [{estimate['low']:.3f}, {estimate['high']:.3f}]"


def signed(estimate: Json) -> str:
    return f"{estimate['mean']:+.3f} [{estimate['low']:+.3f}, {estimate['high']:+.3f}]"


def _purse(event: Json, budget: Budget) -> tuple[str, str]:
    """Spent and left, counted in what the budget limits first."""
    rollouts, calls = int(event.get("rollouts") or 0), int(event.get("calls") or 0)
    if budget.rollouts is not None:
        return str(rollouts), str(budget.rollouts - rollouts)
    if budget.calls is not None:
        return str(calls), str(budget.calls - calls)
    return str(rollouts), "-"


def _short(text: str, longest: int = LONGEST_EDIT) -> str:
    lines = text.strip().removeprefix("- ").splitlines() or [""]
    cut = lines[0] if len(lines[0]) <= longest else lines[0][: longest - 1] + "…"
    return cut + (f" (+{len(lines) - 1} lines)" if len(lines) > 1 else "")


def _edits(event: Json) -> str:
    edits = event.get("edits") or ()
    more = f" … and {len(edits) - MOST_EDITS} more" if len(edits) > MOST_EDITS else ""
    return (", ".join(map(edit_in_words, edits[:MOST_EDITS])) or "no edit") + more


def _start(event: Json) -> str:
    words = f"skill {str(event.get('skill'))[:12]}"
    lanes = (event.get("plan") or {}).get("lanes")
    words += f", {lanes} lane{'s' if lanes != 1 else ''}" if lanes else ""
    unnamed = event.get("unnamed") or ()
    kept = f"; the {' and the '.join(unnamed)} without a fingerprint: answers are kept under the class name"
    return words + (kept if unnamed else "")


def _on_task(event: Json) -> str:
    return f"{event.get('task')}: {_edits(event)}"


def _vet(event: Json) -> str:
    gain = event.get("gain")
    measured = f" ({gain:+.2f})" if isinstance(gain, (int, float)) else ""
    return f"{'stays' if event.get('stays') else 'goes'}{measured}: {_edits(event)}"


def _group(event: Json) -> str:
    gain, error = (float(event.get(key) or 0) for key in ("gain", "error"))
    found = f"{gain:+.2f} ± {error:.2f} over {event.get('pairs')} pairs"
    return f"{_counted(event)} together {'help' if event.get('helps') else 'do not help'} ({found})"


def _pool(event: Json) -> str:
    rounds, considered = event.get("rounds"), event.get("considered")
    return f"keeps {_counted(event)} of {considered} after {rounds} rounds: {_edits(event)}"


def _gate(event: Json) -> str:
    verdict = verdict_in_words(event.get("verdict") or {})
    of = str(event.get("of") or "step")
    what = str(event.get("step", "")) if of == "step" else of.replace("_", " ")
    return f"{what} with {_counted(event)}: {verdict}".lstrip()


def _step(event: Json) -> str:
    """`3 of epoch 1: accepted; train 0.42 of 40; 3 of 9 edits, at most 4`."""
    batches = event.get("batches") or ()
    attempts = sum(int(batch.get("n_envs") or 0) for batch in batches)
    scores = [float(b["hard"]) * int(b.get("n_envs") or 0) for b in batches if b.get("hard") is not None]
    words = [
        f"{event.get('step')} of epoch {event.get('epoch')}: {action(str(event.get('action') or ''))}",
        f"train {sum(scores) / attempts:.2f} of {attempts}" if attempts else "",
    ]
    merged, used = (len(payload(event.get(name))) for name in ("merged", "ranked"))
    limit = "" if event.get("lr_control_mode") == "none" else f", at most {event.get('edit_budget')}"
    words.append(f"{used} of {merged} edits{limit}" if merged else "")
    dropped = sum(bool(patch.get("error")) for patch in event.get("patches") or ())
    words.append(f"{dropped} answer{'s' if dropped != 1 else ''} dropped" if dropped else "")
    return "; ".join(filter(None, words))


def _epoch_end(event: Json) -> str:
    """`of epoch 2: accepted; 3 improved, 1 regressed: “Keep it short.”`."""
    categories = Counter(str(pair.get("category")) for pair in event.get("pairs") or ())
    told = action(str(event.get("action") or "")) if "action" in event else "noted"
    compared = ", ".join(f"{number} {category}" for category, number in sorted(categories.items()))
    words = "; ".join(filter(None, (f"of epoch {event.get('epoch')}: {told}", compared)))
    content = str(event.get("content") or "")
    return f"{words}: “{_short(content)}”" if content else words


def _probe(event: Json) -> str:
    probes = len(event.get("probes") or ())
    return f"{event.get('step')}, turn {event.get('turn')}: {probes} probe{'s' if probes != 1 else ''}"


def _refused(event: Json) -> str:
    """Edits that give an answer away, each with the reason."""
    edits = event.get("edits") or ()
    told = (f"{edit_in_words(edit)} ({edit.get('reason')})" for edit in edits[:MOST_EDITS])
    more = f" … and {len(edits) - MOST_EDITS} more" if len(edits) > MOST_EDITS else ""
    return f"by the leak check: {', '.join(told)}{more}"


def _counted(event: Json) -> str:
    edits = len(event.get("edits") or ())
    return f"{edits} edit{'s' if edits != 1 else ''}"


def _stop(event: Json) -> str:
    return f"{event.get('reason')}; skill {str(event.get('skill'))[:12]}"


def _final(event: Json) -> str:
    return f"selection {estimate_in_words(event.get('selection'))}, fresh attempts"


def _test(event: Json) -> str:
    gain = event.get("gain")
    return f"{estimate_in_words(event.get('test'))}, gain {signed(gain) if gain else 'not measured'}"


def _anything(event: Json) -> str:
    """Plain values of an event this module has no words for."""
    plain = {k: v for k, v in event.items() if k not in PLUMBING and isinstance(v, (str, int, float, bool))}
    words = ", ".join(
        f"{key} {value:.3g}" if isinstance(value, float) else f"{key} {value}" for key, value in plain.items()
    )
    return "; ".join(filter(None, (words, _edits(event) if event.get("edits") else "")))


TOLD: Mapping[str, Callable[[Json], str]] = {
    "start": _start,
    "adopt": _on_task,
    "drop": _on_task,
    "vet": _vet,
    "group": _group,
    "pool": _pool,
    "gate": _gate,
    "step": _step,
    "slow_update": _epoch_end,
    "meta_skill": _epoch_end,
    "meta_reflect": _epoch_end,
    "probe": _probe,
    "refused": _refused,
    "stop": _stop,
    "final": _final,
    "test": _test,
}


class Narrator:
    """Tells a run on stderr. Use as a context manager; give `on_event` to the settings."""

    def __init__(self, budget: Budget, *, quiet: bool = False) -> None:
        self.events = 0
        self._budget, self._quiet = budget, quiet
        total = budget.rollouts if budget.rollouts is not None else budget.calls
        self._bar = Bar(total, quiet=quiet)
        self.watch = self._bar.watch

    def __enter__(self) -> Narrator:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def on_event(self, kind: str, event: Json) -> None:
        if not self._quiet:
            if not self.events:
                self._bar.console.print(Text(HEAD, style="bold"))
            line = Text(step_line(kind, event, self._budget), style=STYLES.get(kind, ""))
            self._bar.console.print(line, soft_wrap=True)
        self._bar.at(int(event.get("rollouts") or 0), kind)
        self.events += 1
