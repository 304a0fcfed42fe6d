"""Budgets in tokens and money: never crossed at any price, and refused where no price is known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sharpen
from sharpen.agents import ChatSettings, ChatStudent
from sharpen.errors import BudgetError
from sharpen.models import Completion, Price, Request, Simulated
from sharpen.tasks.scorers import Exact
from sharpen.types import Budget, Usage

from .office import START, Tutor, tasks

LENGTH = 40


def wordy(request: Request, trial: int) -> str:
    """An answer whose length differs from call to call, up to the limit and past it."""
    kind = request.messages[-1].text.rpartition(" ")[2]
    number = request.messages[-1].text.split()[1]
    if f"kind {kind} is" in request.system:
        return f"done {number}"
    return " ".join(["blah"] * (1 + int(request.digest[:4], 16) % (LENGTH + 10)))


class Meter:
    """A priced simulated model that adds up what it really used, whoever asks it."""

    def __init__(self, price: Price) -> None:
        self._model = Simulated("meter", wordy, price)
        self.tokens, self.usd, self.dearest = 0, 0.0, 0.0

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def fingerprint(self) -> str:
        return self._model.fingerprint

    async def complete(self, request: Request, *, trial: int = 1) -> Completion:
        completion = await self._model.complete(request, trial=trial)
        worst = self.worst_case(request)
        assert completion.usage.tokens <= worst.tokens
        assert (completion.usage.usd or 0) <= (worst.usd or 0)
        self.tokens += completion.usage.tokens
        self.usd += completion.usage.usd or 0.0
        return completion

    def worst_case(self, request: Request) -> Usage:
        return self._model.worst_case(request)

    async def aclose(self) -> None: ...


prices = st.builds(Price, input=st.floats(0.01, 100), output=st.floats(0.01, 400))


def play(meter: Meter, budget: Budget, concurrency: int) -> sharpen.TrainResult | None:
    student = ChatStudent(meter, Exact(), ChatSettings(max_tokens=LENGTH))
    settings = sharpen.TrainSettings(concurrency=concurrency)
    try:
        return sharpen.train(START, tasks(12, 12, 6), student, Tutor(), budget, settings)
    except BudgetError:
        return None


@given(prices, st.integers(1, 400_000), st.sampled_from([1, 4, 16]))
def test_tokens_are_never_exceeded(price: Price, tokens: int, concurrency: int) -> None:
    meter = Meter(price)
    result = play(meter, Budget(tokens=tokens), concurrency)
    assert meter.tokens <= tokens
    assert result is None or result.spent["tokens"] == meter.tokens


@given(prices, st.floats(1e-6, 5.0), st.sampled_from([1, 4, 16]))
def test_money_is_never_exceeded(price: Price, usd: float, concurrency: int) -> None:
    meter = Meter(price)
    result = play(meter, Budget(usd=usd), concurrency)
    assert meter.usd <= usd
    assert result is None or result.spent["usd"] == pytest.approx(meter.usd)


def test_enough_money_trains_and_a_run_cut_short_keeps_its_best_skill() -> None:
    price = Price(input=1.0, output=4.0)
    rich = play(Meter(price), Budget(tokens=10_000_000), 16)
    assert rich is not None
    assert rich.accepted
    poor = play(Meter(price), Budget(tokens=300_000), 16)
    assert poor is not None
    assert poor.selection.n > 0


def test_money_without_a_price_is_refused_before_the_first_call() -> None:
    asked = []

    class Unpriced(Meter):
        def worst_case(self, request: Request) -> Usage:
            return Usage(100, 100, usd=None, model=self.name)

        async def complete(self, request: Request, *, trial: int = 1) -> Completion:
            asked.append(request)
            return await super().complete(request, trial=trial)

    student = ChatStudent(Unpriced(Price(input=1, output=1)), Exact())
    with pytest.raises(BudgetError, match=r"simulated:meter.*reports no price"):
        sharpen.train(START, tasks(), student, Tutor(), Budget(usd=1.0))
    assert not asked
