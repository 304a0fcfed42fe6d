"""Settings: defaults as promised, impossible values refused by name, and what makes a run another run."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from sharpen import SettingsError, TrainSettings


def test_the_defaults_are_those_of_the_design() -> None:
    settings = TrainSettings()
    assert (settings.seed, settings.metric, settings.gate) == (0, "hard", "race")
    assert (settings.concurrency, settings.retries, settings.edits) == (16, 2, 4)
    assert settings.mixed_weight == 0.5


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("metric", "f1"),
        ("gate", "open"),
        ("loop", "while"),
        ("concurrency", 0),
        ("concurrency", 2.5),
        ("concurrency", True),
        ("edits", 0),
        ("retries", -1),
        ("lanes", 0),
        ("alpha", 0.0),
        ("alpha", 1.0),
        ("alpha", float("nan")),
        ("mixed_weight", 1.1),
        ("mixed_weight", float("nan")),
        ("timeout", 0),
        ("timeout", float("nan")),
        ("timeout", -3.0),
    ],
)
def test_a_value_out_of_range_is_refused_and_the_setting_named(name: str, value: Any) -> None:
    with pytest.raises(SettingsError, match=name) as refused:
        TrainSettings(**{name: value})
    assert refused.value.exit_code == 2


@pytest.mark.parametrize(
    ("name", "value"), [("retries", 0), ("lanes", 1), ("timeout", None), ("mixed_weight", 0.0), ("seed", -7)]
)
def test_the_edge_of_the_range_is_inside(name: str, value: Any) -> None:
    assert getattr(TrainSettings(**{name: value}), name) == value


def test_choices_are_listed() -> None:
    with pytest.raises(SettingsError, match="race, strict, no_regression, none"):
        TrainSettings(gate="open")  # type: ignore[arg-type]


def test_what_only_changes_the_speed_is_no_part_of_the_configuration() -> None:
    calm = TrainSettings(concurrency=1, timeout=None, on_event=lambda kind, data: None)
    assert calm.as_json() == TrainSettings().as_json()
    assert TrainSettings(seed=1).as_json() != TrainSettings().as_json()
    assert {"seed", "metric", "gate", "loop", "lanes", "retries"} <= TrainSettings().as_json().keys()


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        TrainSettings().seed = 3  # type: ignore[misc]
