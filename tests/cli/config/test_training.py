"""What a configuration asks of training: every key has a place, and what is not there is said."""

from __future__ import annotations

from dataclasses import fields

import pytest

from sharpen.cli.config import read_config
from sharpen.cli.config.names import dotted_keys
from sharpen.cli.config.training import (
    BATCH_LOOP,
    DEAD,
    EITHER_LOOP,
    REFUSED,
    TEACHER,
    needed_rollouts,
    refuse,
    training_of,
)
from sharpen.errors import SettingsError
from sharpen.train import make_plan
from sharpen.train.settings import BatchSettings, TrainSettings
from sharpen.train.teacher.settings import TeacherSettings
from sharpen.types import Budget, Task, TaskSet

ELSEWHERE = {
    "evaluation.use_gate",
    "evaluation.gate",
    "evaluation.sel_env_num",
    "evaluation.test_env_num",
    "evaluation.eval_test",
    "evaluation.semantic_density_weight",
    "evaluation.leading_words",
    "train.concurrency",
    "train.train_size",
}
"""Keys with a use that is no field of their own, or that belong to a switch that is refused."""


def tasks(train: int, selection: int, test: int) -> TaskSet:
    made = [Task(f"t{n}", "?") for n in range(train + selection + test)]
    return TaskSet(
        train=made[:train], selection=made[train : train + selection], test=made[train + selection :]
    )


SIZES = tasks(80, 40, 280)


def test_every_key_about_learning_has_a_place() -> None:
    known = {*EITHER_LOOP, *BATCH_LOOP, *TEACHER, *DEAD, *REFUSED, *ELSEWHERE}
    learning = [
        key
        for key in dotted_keys()
        if key.partition(".")[0] in ("train", "gradient", "optimizer", "evaluation")
    ]
    assert [key for key in learning if key not in known and ".mem0_" not in key] == []


def test_every_setting_of_the_loops_has_a_key() -> None:
    assert set(BATCH_LOOP.values()) == {field.name for field in fields(BatchSettings)}
    said = {*EITHER_LOOP.values(), "gate", "concurrency", "batch", "on_event"}
    assert said == {field.name for field in fields(TrainSettings)}
    assert set(TEACHER.values()) <= {field.name for field in fields(TeacherSettings)}


def test_every_value_arrives() -> None:
    overrides = [
        "train.num_epochs=2",
        "train.batch_size=7",
        "train.accumulation=3",
        "gradient.minibatch_size=5",
        "gradient.merge_batch_size=4",
        "gradient.analyst_workers=9",
        "gradient.failure_only=yes",
        "gradient.max_analyst_rounds=3",
        "gradient.merging=plain",
        "gradient.use_deep_reflect=true",
        "optimizer.learning_rate=6",
        "optimizer.min_learning_rate=1",
        "optimizer.lr_scheduler=linear",
        "optimizer.lr_control_mode=autonomous",
        "optimizer.skill_update_mode=rewrite",
        "optimizer.use_slow_update=false",
        "optimizer.longitudinal_pair_policy=changed",
        "optimizer.use_skill_aware_reflection=true",
        "optimizer.skill_aware_consolidate_threshold=12",
        "evaluation.gate_metric=mixed",
        "evaluation.gate_mixed_weight=0.25",
        "evaluation.gate=no_regression",
        "env.workers=24",
        "train.seed=5",
    ]
    training = training_of(read_config(overrides=overrides))
    settings, batch = training.settings, training.settings.batch
    assert (settings.seed, settings.loop, settings.metric, settings.mixed_weight) == (
        5,
        "batch",
        "mixed",
        0.25,
    )
    assert (settings.gate, settings.concurrency) == ("no_regression", 24)
    assert (batch.epochs, batch.batch_size, batch.accumulation) == (2, 7, 3)
    assert (batch.minibatch, batch.merge_batch, batch.analysts, batch.failure_only) == (5, 4, 9, True)
    assert (batch.learning_rate, batch.min_learning_rate, batch.schedule) == (6, 1, "linear")
    assert (batch.limit, batch.mode, batch.merging) == ("teacher", "rewrite_from_suggestions", "plain")
    assert (batch.slow_update, batch.pair_policy, batch.deep_reflect) == (False, "changed", True)
    assert (batch.skill_aware, batch.consolidate_above) == (True, 12)
    assert training.teacher == {"rounds": 3, "skill_aware": True}
    assert training.refused == {}


def test_the_presets_are_what_they_say() -> None:
    paper = training_of(read_config(preset="paper"))
    assert (paper.settings.loop, paper.settings.gate, paper.settings.seed) == ("batch", "strict", 42)
    batch = paper.settings.batch
    assert (batch.epochs, batch.batch_size, batch.merging, batch.first_match) == (4, 40, "model", True)
    assert batch.slow_update_gated
    assert paper.teacher["rounds"] == 3
    assert training_of(read_config(preset="default")).settings.as_json() == TrainSettings().as_json()


def test_no_gate_is_no_gate() -> None:
    assert training_of(read_config(overrides=["evaluation.use_gate=false"])).settings.gate == "none"


def test_a_constant_rate_needs_no_least() -> None:
    said = ["optimizer.lr_scheduler=constant", "optimizer.learning_rate=1"]
    assert training_of(read_config(overrides=said)).settings.batch.min_learning_rate == 1


@pytest.mark.parametrize("key", REFUSED)
def test_what_is_not_there_is_refused_with_the_reason(key: str) -> None:
    refuse(training_of(read_config()))
    with pytest.raises(SettingsError, match=rf"{key} is on, but .*set it to false"):
        refuse(training_of(read_config(overrides=[f"{key}=true"])))


def test_keys_the_chosen_loop_has_no_use_for_are_named() -> None:
    said = ["train.num_epochs=2", "optimizer.learning_rate=3", "train.lanes=2", "gradient.minibatch_size=8"]
    assert training_of(read_config(overrides=said)).idle == ("train.lanes",)
    assert training_of(read_config(overrides=[*said, "train.loop=draft"])).idle == ("train.num_epochs",)
    assert training_of(read_config(overrides=["train.steps_per_epoch=3"])).idle == ("train.steps_per_epoch",)


def test_limits_make_a_budget() -> None:
    assert training_of(read_config()).budget is None
    budget = training_of(read_config(overrides=["budget.usd=2.5", "budget.calls=100"])).budget
    assert budget is not None
    assert (budget.usd, budget.calls, budget.rollouts) == (2.5, 100, None)


def test_the_budget_that_the_epochs_need_grows_with_what_they_do() -> None:
    def needed(*overrides: str, sizes: TaskSet = SIZES) -> int:
        return needed_rollouts(training_of(read_config(overrides=overrides, preset="paper")).settings, sizes)

    # 4 epochs of 2 steps: 320 train attempts, 8 gates of 40, 40 at the start, 3 × (2 × 20 + 40) in between.
    assert needed() == 1.25 * (320 + 320 + 40 + 240) + 40 + 560
    assert needed("evaluation.gate=race") > needed()
    assert needed("optimizer.use_slow_update=false") < needed()
    assert needed("gradient.use_deep_reflect=true") > needed()
    assert needed("train.num_epochs=8") > needed()
    assert needed(sizes=tasks(80, 40, 0)) == needed() - 560
    make_plan(Budget(rollouts=needed(sizes=tasks(1, 1, 1))), tasks(1, 1, 1))
