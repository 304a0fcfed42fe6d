"""What a budget buys, said before anything is spent: the plan, and the smallest gain it should prove."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from sharpen.stats import race_pairs
from sharpen.train import Plan

NOISES = (("never", 0.0), ("one time in ten", 0.1), ("one time in five", 0.2))
"""How often an attempt's outcome flips by luck, in words and as a share."""
STEPS = 200
"""Effects are looked at in steps of half a percent."""


@dataclass(frozen=True)
class Forecast:
    """A plan and what its gate can see."""

    plan: Plan
    sizes: dict[str, int]

    @property
    def pairs(self) -> int:
        """Pairs the gate has at least; what the search leaves over comes on top."""
        return self.plan.gate // 2

    def effect(self, flips: float) -> float | None:
        """The smallest gain the gate is expected to accept when a share `flips` of outcomes flips."""
        return smallest_effect(self.pairs, noise=2 * flips * (1 - flips))

    def as_json(self) -> dict[str, Any]:
        effects = {str(flips): self.effect(flips) for _, flips in NOISES}
        search = self.plan.total - self.plan.search
        return {
            "tasks": self.sizes,
            "plan": asdict(self.plan) | {"search": search},
            "smallest_effect": effects,
        }

    @property
    def in_a_line(self) -> str:
        """What the gate can see, for those who did not ask."""
        (_, steady), *_, (words, flips) = NOISES
        quiet, noisy = (effect_in_words(self.effect(share)) for share in (steady, flips))
        return f"smallest gain that this can prove: {quiet}; where {words} luck decides: {noisy}"

    def lines(self) -> Iterator[str]:
        plan, held = self.plan, self.sizes["selection"]
        tasks = ", ".join(f"{size} {name}" for name, size in self.sizes.items())
        yield f"{plan.total} rollouts on {tasks} tasks"
        yield f"  search      {plan.total - plan.search:>6}  at most, with {plan.lanes} tasks side by side"
        yield f"  gate        {plan.gate:>6}  at least: {self.pairs} pairs on the selection split"
        yield f"  final pass  {plan.final:>6}  {plan.passes} × {held} fresh attempts with the best skill"
        yield f"  test look   {plan.test:>6}  best and starting skill once each"
        yield "smallest gain that the gate is expected to prove with that, when an outcome flips by luck"
        for words, flips in NOISES:
            yield f"  {words:<17} {effect_in_words(self.effect(flips))}"


def smallest_effect(pairs: int, *, noise: float, threshold: float | None = None) -> float | None:
    """The smallest gain for which a race takes at most `pairs` pairs on average; None when there is none.

    `noise` is the share of pairs that differ by luck alone, `threshold` the evidence needed, where it is not
    that of a run's first gate.
    """
    for step in range(1, STEPS + 1):
        effect = step / STEPS
        if effect + noise > 1:
            return None
        needed = race_pairs(effect, noise=noise, threshold=threshold)
        if needed is not None and needed <= pairs:
            return effect
    return None


def effect_in_words(effect: float | None) -> str:
    return "none: the budget is too small for this noise" if effect is None else f"{effect:+.3f}"
