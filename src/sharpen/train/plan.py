"""How a budget is divided before the first call: what the end of the run needs is set aside first."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sharpen.errors import BudgetError
from sharpen.types import Budget, TaskSet

SHORTEST_GATE = 14
"""Rollouts of the shortest race that can accept: seven wins without a loss."""
SHORTEST_SEARCH = 10
"""Rollouts of the shortest search that can find and vet one line."""
FINAL_PASSES = 3
FINAL_ATTEMPTS = 48
"""A small selection split is passed over more often, up to about this many attempts."""
TASKS_PER_LANE = 20
"""One lane per this many train tasks, from twice as many on: on few tasks lanes get into each other's way."""


@dataclass(frozen=True)
class Plan:
    """Rollouts set aside, and how many tasks are worked on side by side."""

    total: int
    held: int
    test: int
    final: int
    gate: int
    passes: int
    lanes: int

    @property
    def ending(self) -> int:
        """What the final pass and the test look need: no gate may touch it."""
        return self.test + self.final

    @property
    def search(self) -> int:
        """What the search must leave: the ending and the gate."""
        return self.ending + self.gate

    @property
    def pooled(self) -> int:
        """What the pooled phase must leave: its candidates need a shorter gate."""
        return self.ending + min(self.gate, max(2 * self.held, self.total // 10))


def make_plan(budget: Budget, tasks: TaskSet, *, lanes: int | None = None) -> Plan:
    """Divide the budget; raise BudgetError if it does not reach for one decision."""
    total = budget.planned
    held = len(tasks.selection)
    test = 2 * len(tasks.test)
    needed = test + held + SHORTEST_GATE + SHORTEST_SEARCH
    if total < needed:
        raise BudgetError(
            f"a budget of {total} rollouts does not reach for one decision: {held} for the final pass, "
            f"{SHORTEST_GATE} for the shortest gate, {test} for the test split (both skills once) and "
            f"{SHORTEST_SEARCH} to search make {needed}. Give at least that, or smaller splits."
        )
    wanted = max(FINAL_PASSES, math.ceil(FINAL_ATTEMPTS / held))
    spare = (total - test - SHORTEST_GATE - SHORTEST_SEARCH) // held
    passes = max(1, min(wanted, spare, int(0.05 * total / held)))
    free = total - test - held * passes - SHORTEST_SEARCH
    gate = int(max(SHORTEST_GATE, min(max(2 * held, 0.15 * total), 0.25 * total, free)))
    crowd = len(tasks.train) // TASKS_PER_LANE
    chosen = lanes or (crowd if crowd > 2 else 1)
    return Plan(total, held, test, held * passes, gate, passes, chosen)
