"""Prices and upper bounds: what is known is counted, unknown is not zero, and no bound is crossed."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sharpen.models
from faults import FaultServer
from models.servers import QUICK, ask
from models.test_records import REQUESTS
from sharpen.errors import SettingsError
from sharpen.models import Model, ModelError, ModelSettings, Price, Request, open_model
from sharpen.models.prices import Tokens, price_of, usage_of


def test_the_shipped_table_is_dated_and_has_sources() -> None:
    table = json.loads(Path(sharpen.models.__file__).with_name("prices.json").read_text())
    for listed in table["providers"].values():
        assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", listed["as_of"])
        assert listed["source"].startswith("https://")
        for price in listed["models"].values():
            assert 0 < price.get("cached", price["input"]) <= price["input"] < price["output"]


def test_a_snapshot_costs_what_its_model_costs_and_a_stranger_is_unknown() -> None:
    assert price_of("openai", "gpt-5-mini-2025-08-07") == price_of("openai", "gpt-5-mini") != None  # noqa: E711
    assert price_of("anthropic", "claude-haiku-4-5-20251001") == price_of("anthropic", "claude-haiku-4-5")
    assert price_of("openai", "gpt-5-mini-tuned") is None
    assert price_of("vllm", "gpt-5-mini") is None


def test_a_users_file_comes_first(tmp_path: Path) -> None:
    file = tmp_path / "prices.json"
    file.write_text(json.dumps({"providers": {"vllm": {"models": {"m": {"input": 1, "output": 2}}}}}))
    environ = {"SHARPEN_PRICES": str(file)}
    with FaultServer() as server:
        model = open_model("vllm:m", replace(QUICK, base_url=server.v1), environ=environ)
        (answer,) = ask(model, "hello")
        assert answer.usage.usd == pytest.approx((7 * 1 + 1 * 2) / 1e6)
        (answer,) = ask(open_model("vllm:m", replace(QUICK, base_url=server.v1), environ={}), "hello")
        assert answer.usage.usd is None


@pytest.mark.parametrize(
    "content", ["not json", "[]", '{"providers": {"a": {"models": {"m": {"input": 1}}}}}',
                '{"providers": {"a": {"models": {"m": {"input": -1, "output": 1}}}}}']
)  # fmt: skip
def test_a_broken_price_file_is_named(tmp_path: Path, content: str) -> None:
    file = tmp_path / "mine.json"
    file.write_text(content)
    with pytest.raises(SettingsError, match=r"mine\.json|price"):
        price_of("a", "m", file=file)
    with pytest.raises(SettingsError, match="gone"):
        price_of("a", "m", file=tmp_path / "gone.json")


def test_long_prompts_and_cache_writes() -> None:
    price = Price(1, 10, long_from=1000, long=Price(2, 20))
    assert price.usd(Tokens(1000, 1)) == pytest.approx(1010 / 1e6)
    assert price.usd(Tokens(1001, 1)) == pytest.approx((2002 + 20) / 1e6)
    assert usage_of(Tokens(10, 1, written=5), price).usd is None


SETTINGS = ModelSettings(
    base_url="http://127.0.0.1:9/v1", price=Price(3, 15, cached=1, long_from=50, long=Price(6, 22))
)
MODELS: list[Model] = [
    open_model("compatible:m", SETTINGS, environ={}),
    open_model("compatible:m", replace(SETTINGS, api="responses"), environ={}),
    open_model("compatible:m", replace(SETTINGS, api="messages", max_tokens=5), environ={}),
    open_model("gemini:g", SETTINGS, environ={}),
    open_model("simulated:echo", SETTINGS),
]


@given(REQUESTS, st.sampled_from(MODELS), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_no_answer_costs_more_than_its_worst_case(
    request: Request, model: Model, share: float, cached: float, length: float
) -> None:
    """Whatever a tokenizer does (a token is at least a byte) and whatever is cached, the bound holds."""
    try:
        bound = model.worst_case(request)
    except ModelError:
        assert request.stop
        return
    text = "".join(m.text for m in request.messages) + request.system
    tokens = int(share * len(text.encode("utf-8", "surrogatepass")))
    used = usage_of(
        Tokens(tokens, int(length * bound.output_tokens), int(cached * tokens)), SETTINGS.price, model.name
    )
    assert used.input_tokens <= bound.input_tokens
    assert bound.usd is not None
    assert used.usd is not None
    assert used.usd <= bound.usd


def test_without_a_price_the_bound_has_no_money() -> None:
    model = open_model("compatible:m", replace(SETTINGS, price=None), environ={})
    bound = model.worst_case(Request.of("hello", max_tokens=9))
    assert bound.usd is None
    assert bound.output_tokens == 9
    assert bound.input_tokens > len("hello")
