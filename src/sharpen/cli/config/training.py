"""What a configuration asks of `sharpen.train`: its settings, its budget, and what it asks for in vain.

Every key that has a setting stands in one of the tables. What is deliberately not there is refused with the
reason; what the chosen loop has no use for is named. Keys under `model` and `env` are for those who open
models and suites.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sharpen.cli.config.reading import Resolved
from sharpen.cli.config.record import Config
from sharpen.errors import SettingsError
from sharpen.train.plan import SHORTEST_GATE, SHORTEST_SEARCH
from sharpen.train.settings import BatchSettings, TrainSettings
from sharpen.types import Budget, TaskSet

EITHER_LOOP = {
    "train.seed": "seed",
    "train.loop": "loop",
    "train.lanes": "lanes",
    "train.retries": "retries",
    "train.timeout": "timeout",
    "optimizer.learning_rate": "edits",
    "evaluation.alpha": "alpha",
    "evaluation.gate_metric": "metric",
    "evaluation.gate_mixed_weight": "mixed_weight",
}
"""Keys with the field of TrainSettings they set."""
BATCH_LOOP = {
    "train.num_epochs": "epochs",
    "train.batch_size": "batch_size",
    "train.accumulation": "accumulation",
    "gradient.minibatch_size": "minibatch",
    "gradient.merge_batch_size": "merge_batch",
    "gradient.analyst_workers": "analysts",
    "gradient.failure_only": "failure_only",
    "gradient.merging": "merging",
    "gradient.use_deep_reflect": "deep_reflect",
    "gradient.deep_reflect_failures": "deep_failures",
    "gradient.deep_reflect_successes": "deep_successes",
    "optimizer.learning_rate": "learning_rate",
    "optimizer.min_learning_rate": "min_learning_rate",
    "optimizer.lr_scheduler": "schedule",
    "optimizer.lr_control_mode": "limit",
    "optimizer.skill_update_mode": "mode",
    "optimizer.use_slow_update": "slow_update",
    "optimizer.slow_update_samples": "slow_update_samples",
    "optimizer.slow_update_gate_with_selection": "slow_update_gated",
    "optimizer.longitudinal_pair_policy": "pair_policy",
    "optimizer.use_meta_skill": "meta_skill",
    "optimizer.use_meta_reflect": "meta_reflect",
    "optimizer.use_skill_aware_reflection": "skill_aware",
    "optimizer.skill_aware_appendix_source": "appendix_source",
    "optimizer.skill_aware_consolidate_threshold": "consolidate_above",
    "optimizer.first_match": "first_match",
    "evaluation.gate_width": "gate_width",
}
"""Keys with the field of BatchSettings they set."""
TEACHER = {
    "gradient.max_analyst_rounds": "rounds",
    "optimizer.use_skill_aware_reflection": "skill_aware",
}
"""Keys with the option of a teacher on a model they set."""
LIMITS = {"fixed": "schedule", "autonomous": "teacher", "none": "none"}
"""SkillOpt's words for who limits the edits of a step, and ours."""
DEAD = ("train.steps_per_epoch", "optimizer.meta_learning_rate")
"""Keys without effect, in SkillOpt as here."""
REFUSED = {
    "train.mem0_enabled": "nothing is sent to a hosted memory; set it to false",
    "evaluation.use_semantic_density": "words like MUST and NEVER solve no task, so they earn no score; "
    "set it to false",
    "human_feedback.enabled": "no person is waited for at the gate, which decides alone; set it to false",
}
"""Switches for what is not there, with the reason and the remedy."""
SPARE = 1.25
"""A plan keeps a fifth of a budget for its last gate, the final pass and attempts made again."""
USUAL_EPOCHS = 4
"""Epochs a budget is made for when nobody says how many."""


@dataclass(frozen=True)
class Training:
    """What `sharpen.train` gets, and what it does not."""

    settings: TrainSettings
    budget: Budget | None
    """None when nobody set a limit; `needed_rollouts` says what the epochs need."""
    teacher: dict[str, object]
    """Options of a teacher on a model."""
    refused: dict[str, str]
    """Keys that ask for what is not there, with the reason."""
    idle: tuple[str, ...]
    """Keys somebody set that the chosen loop has no use for."""


def training_of(resolved: Resolved) -> Training:
    """The run a configuration asks for."""
    config = resolved.config
    refused = {key: reason for key, reason in REFUSED.items() if config.get(key)}
    teacher = {name: config.get(key) for key, name in TEACHER.items()}
    return Training(_settings(config), _budget(config), teacher, refused, tuple(_idle(resolved)))


def refuse(training: Training) -> None:
    """SettingsError that names every key asked for in vain."""
    if training.refused:
        raise SettingsError("; ".join(f"{key} is on, but {why}" for key, why in training.refused.items()))


def needed_rollouts(settings: TrainSettings, tasks: TaskSet) -> int:
    """Attempts that let every epoch run to its end, if no gate stops early."""
    batch, held, test = settings.batch, len(tasks.selection), len(tasks.test)
    epochs, train = batch.epochs or USUAL_EPOCHS, len(tasks.train)
    steps = epochs * math.ceil(train / (batch.batch_size * batch.accumulation))
    # A strict gate measures the candidate only; the others measure the incumbent beside it.
    gate = held * (1 if settings.gate == "strict" else 2)
    probes = steps * (batch.deep_failures + batch.deep_successes) if batch.deep_reflect else 0
    compared = 2 * min(batch.slow_update_samples, train) + (gate if batch.slow_update_gated else 0)
    slow = (epochs - 1) * compared if batch.slow_update else 0
    reviews = epochs * gate if batch.meta_reflect else 0
    search = held + epochs * train + steps * gate + probes + slow + reviews
    return math.ceil(max(SPARE * search, SHORTEST_SEARCH + SHORTEST_GATE)) + held + 2 * test


def _settings(config: Config) -> TrainSettings:
    said: dict[str, Any] = {name: config.get(key) for key, name in EITHER_LOOP.items()}
    batch: dict[str, Any] = {name: config.get(key) for key, name in BATCH_LOOP.items()}
    batch["limit"] = LIMITS[config.optimizer.lr_control_mode]
    if config.optimizer.lr_scheduler == "constant":  # nothing decays, so the least has no say
        batch["min_learning_rate"] = min(batch["min_learning_rate"], batch["learning_rate"])
    # One limit bounds all calls here; SkillOpt has one for attempts and one for reflection.
    said["concurrency"] = config.train.concurrency or config.env.workers or config.gradient.analyst_workers
    said["gate"] = config.evaluation.gate if config.evaluation.use_gate else "none"
    return TrainSettings(**said, batch=BatchSettings(**batch))


def _budget(config: Config) -> Budget | None:
    limits = config.budget
    values = {name: getattr(limits, name) for name in type(limits).model_fields}
    return None if all(value is None for value in values.values()) else Budget(**values)


def _idle(resolved: Resolved) -> Iterator[str]:
    batch_only = [key for key in BATCH_LOOP if key not in EITHER_LOOP]
    for key in (*DEAD, *(["train.lanes"] if resolved.config.train.loop == "batch" else batch_only)):
        if resolved.is_changed(key):
            yield key


def measuring(asked: TrainSettings) -> dict[str, Any]:
    """What a configuration says about training that also holds for `eval` and `prune`."""
    shared = ("metric", "mixed_weight", "alpha", "concurrency", "retries", "timeout")
    return {name: getattr(asked, name) for name in shared}
