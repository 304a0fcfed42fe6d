"""The budget's ledger: what was spent, and whether one more call may be made.

Grants are given in the order in which calls are issued, before they are made, so that no limit is crossed
whatever finishes first. A replayed call is charged like a fresh one: a resumed run has the same ledger.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

from sharpen.errors import BudgetError
from sharpen.types import Budget, Usage


@dataclass
class Ledger:
    """Spend of one run. `reserve` is what a caller must leave for the passes at the end, in rollouts."""

    budget: Budget
    earlier_seconds: float = 0.0
    rollouts: int = 0
    calls: int = 0
    tokens: int = 0
    usd: float = 0.0
    _largest_tokens: int = 0
    _largest_usd: float = 0.0
    _in_flight: int = 0
    _started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        return self.earlier_seconds + time.monotonic() - self._started

    def rollouts_left(self) -> float:
        """Attempts the counting limits still allow; infinite when only tokens, money or time are limited."""
        left = math.inf
        if self.budget.rollouts is not None:
            left = self.budget.rollouts - self.rollouts
        if self.budget.calls is not None:
            left = min(left, self.budget.calls - self.calls)
        return left

    @property
    def unpriced(self) -> bool:
        """A limit on tokens or money, and no call yet that says what one costs."""
        limited = self.budget.tokens is not None or self.budget.usd is not None
        return limited and not self._largest_tokens and not self._largest_usd

    def grant_attempt(self, reserve: int = 0) -> bool:
        """Charge one attempt if it fits with `reserve` left over; say whether it did."""
        if self.rollouts_left() - 1 < reserve or not self._affordable(reserve):
            return False
        self.rollouts += 1
        self.calls += 1
        self._in_flight += 1
        return True

    def grant_question(self, reserve: int = 0) -> bool:
        """The same for a teacher call, which is a call but not a rollout."""
        if self.budget.calls is not None and self.budget.calls - self.calls - 1 < reserve:
            return False
        if not self._affordable(reserve):
            return False
        self.calls += 1
        self._in_flight += 1
        return True

    def settle(self, usage: Usage | None) -> None:
        """Book what a granted call really used."""
        self._in_flight -= 1
        if usage is None:
            return
        self.tokens += usage.tokens
        self.usd += usage.usd or 0.0
        self._largest_tokens = max(self._largest_tokens, usage.tokens)
        self._largest_usd = max(self._largest_usd, usage.usd or 0.0)

    def require_usage(self, usage: Usage | None, who: str) -> None:
        """A limit that nobody reports against would never bind: say so at the first such answer."""
        if self.budget.tokens is not None and usage is None:
            raise BudgetError(
                f"the budget limits tokens, but the {who} reports no usage; limit rollouts instead"
            )
        if self.budget.usd is not None and (usage is None or usage.usd is None):
            raise BudgetError(
                f"the budget limits money, but the {who} reports no price; limit rollouts instead"
            )

    def _affordable(self, reserve: int) -> bool:
        """Tokens, money, time. Unsettled calls count like the dearest so far; the reserve is a share."""
        kept = min(1.0, reserve / self.budget.planned)
        unsettled = self._in_flight + 1
        return (
            _fits(self.tokens + unsettled * self._largest_tokens, self.budget.tokens, kept)
            and _fits(self.usd + unsettled * self._largest_usd, self.budget.usd, kept)
            and (self.budget.seconds is None or self.seconds < self.budget.seconds)
        )

    def spent(self) -> dict[str, float]:
        return {"rollouts": self.rollouts, "calls": self.calls, "tokens": self.tokens, "usd": self.usd}


def _fits(spend: float, limit: float | None, kept: float) -> bool:
    return limit is None or spend <= limit * (1 - kept)
