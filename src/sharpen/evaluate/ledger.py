"""The budget's ledger: what was spent, and whether one more call may be made.

Grants are given in the order in which calls are issued, before they are made, so that no limit is crossed
whatever finishes first: a call in flight counts as the most it can cost. Where nobody knows that beforehand
(an actor without `worst_case`), it counts as the dearest call so far. A replayed call is charged like a fresh
one: a resumed run has the same ledger.
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
    _promised_tokens: int = 0
    """The most that all unsettled calls together may use; those that nobody can bound are only counted."""
    _promised_usd: float = 0.0
    _unpromised: int = 0
    _dearest_tokens: int = 0
    _dearest_usd: float = 0.0
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
    def priced(self) -> bool:
        """Are tokens or money limited?"""
        return self.budget.tokens is not None or self.budget.usd is not None

    @property
    def blind(self) -> bool:
        """A limit on tokens or money, and no call yet that says what one costs."""
        return self.priced and not self._dearest_tokens and not self._dearest_usd

    def grant_attempt(self, reserve: int = 0, *, worst: Usage | None = None) -> bool:
        """Charge one attempt if it fits with `reserve` left over; say whether it did."""
        if self.rollouts_left() - 1 < reserve or not self._affordable(reserve, worst):
            return False
        self.rollouts += 1
        self._charge(worst)
        return True

    def grant_question(self, reserve: int = 0, *, worst: Usage | None = None) -> bool:
        """The same for a teacher call, which is a call but not a rollout."""
        if self.budget.calls is not None and self.budget.calls - self.calls - 1 < reserve:
            return False
        if not self._affordable(reserve, worst):
            return False
        self._charge(worst)
        return True

    def settle(self, usage: Usage | None, *, worst: Usage | None = None) -> None:
        """Book what a call really used; `worst` is what it was granted with."""
        self._promise(worst, sign=-1)
        if usage is None:
            return
        self.tokens += usage.tokens
        self.usd += usage.usd or 0.0
        self._dearest_tokens = max(self._dearest_tokens, usage.tokens)
        self._dearest_usd = max(self._dearest_usd, usage.usd or 0.0)

    def require_usage(self, usage: Usage | None, who: str) -> None:
        """A limit that nobody reports against would never bind: say so at the first such answer."""
        if self.budget.tokens is not None and usage is None:
            raise BudgetError(
                f"the budget limits tokens, but the {who} reports no usage; limit rollouts instead"
            )
        if self.budget.usd is not None and (usage is None or usage.usd is None):
            model = f" ({usage.model})" if usage is not None and usage.model else ""
            raise BudgetError(
                f"the budget limits money, but the {who}{model} reports no price; "
                "limit rollouts instead, or give the price"
            )

    def _charge(self, worst: Usage | None) -> None:
        self.calls += 1
        self._promise(worst, sign=1)

    def _promise(self, worst: Usage | None, *, sign: int) -> None:
        if worst is None:
            self._unpromised += sign
        else:
            self._promised_tokens += sign * worst.tokens
            self._promised_usd += sign * (worst.usd or 0.0)

    def _affordable(self, reserve: int, worst: Usage | None) -> bool:
        """Tokens, money, time. The reserve is a share of the limit."""
        if self.budget.seconds is not None and self.seconds >= self.budget.seconds:
            return False
        if not self.priced:
            return True
        kept = min(1.0, reserve / self.budget.planned)
        unknown = self._unpromised + (worst is None)
        tokens = self.tokens + self._promised_tokens + unknown * self._dearest_tokens
        usd = self.usd + self._promised_usd + unknown * self._dearest_usd
        if worst is not None:
            tokens, usd = tokens + worst.tokens, usd + (worst.usd or 0.0)
        return _fits(tokens, self.budget.tokens, kept) and _fits(usd, self.budget.usd, kept)

    def spent(self) -> dict[str, float]:
        return {"rollouts": self.rollouts, "calls": self.calls, "tokens": self.tokens, "usd": self.usd}


def _fits(spend: float, limit: float | None, kept: float) -> bool:
    return limit is None or spend <= limit * (1 - kept)
