"""Everything a training run can be told beyond its budget, in one frozen record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, get_args

from sharpen.errors import SettingsError
from sharpen.types import Json, Metric

GateName = Literal["race", "strict", "no_regression", "none"]
LoopName = Literal["draft", "batch"]
Schedule = Literal["constant", "linear", "cosine", "autonomous"]
EditLimit = Literal["schedule", "teacher", "none"]
UpdateMode = Literal["patch", "rewrite_from_suggestions", "full_rewrite_minibatch"]
Merging = Literal["auto", "model", "plain"]
PairPolicy = Literal["mixed", "changed", "unchanged"]
AppendixSource = Literal["both", "failure_only"]
OnEvent = Callable[[str, Json], None]


@dataclass(frozen=True)
class BatchSettings:
    """Settings of the batch loop, SkillOpt's: what it calls training a skill like a network."""

    epochs: int | None = None
    """Passes over the train split; None goes on until the budget ends or an epoch brings no failure."""
    batch_size: int = 40
    """Train tasks rolled out per step."""
    accumulation: int = 1
    """Batches rolled out and reflected on before one update."""
    minibatch: int = 8
    """Attempts shown to the teacher in one call."""
    merge_batch: int = 8
    """Patches merged in one call."""
    analysts: int = 16
    """Reflections in flight at once."""
    failure_only: bool = False
    """Leave successful attempts out of reflection."""
    learning_rate: int = 4
    """Most edits applied per step."""
    min_learning_rate: int = 2
    """Fewest that a decaying schedule goes down to."""
    schedule: Schedule = "cosine"
    """How the edit budget changes over the steps; autonomous leaves it to the teacher."""
    limit: EditLimit = "schedule"
    """Who limits a step's edits: the schedule, the teacher, or nobody."""
    mode: UpdateMode = "patch"
    """Single edits, one rewrite from suggestions, or whole skills from each minibatch."""
    merging: Merging = "auto"
    """Who merges and ranks: a model, plain rules, or plain rules while one merge would do."""
    gate_width: int = 32
    """Selection tasks that the race measures side by side between two looks; 1 spends least."""
    slow_update: bool = True
    """At the end of an epoch compare it with the one before, and write guidance into the protected region."""
    slow_update_samples: int = 20
    """Train tasks compared."""
    slow_update_gated: bool = True
    """The guidance passes the gate like any other change."""
    pair_policy: PairPolicy = "mixed"
    """Which compared tasks the teacher sees: all, those whose outcome changed, or the others."""
    meta_skill: bool = True
    """Notes for the teacher across epochs; never part of the skill."""
    meta_reflect: bool = False
    """At the end of an epoch, edits from its whole history, through the gate."""
    deep_reflect: bool = False
    """The teacher may probe: run attempts again with a question or a changed skill."""
    deep_failures: int = 4
    """Failures it may probe per step."""
    deep_successes: int = 2
    """Successes it may probe per step."""
    skill_aware: bool = False
    """Rules that are there but were not followed go into the appendix, through the gate."""
    appendix_source: AppendixSource = "both"
    """Which reflections may note such lapses."""
    consolidate_above: int = 0
    """Notes in the appendix above which they are condensed; 0 never does."""
    first_match: bool = False
    """A target that occurs more than once means its first occurrence, as in SkillOpt."""

    def __post_init__(self) -> None:
        _one_of(
            self,
            schedule=Schedule,
            limit=EditLimit,
            mode=UpdateMode,
            merging=Merging,
            pair_policy=PairPolicy,
            appendix_source=AppendixSource,
        )
        for name in ("batch_size", "accumulation", "minibatch", "analysts", "slow_update_samples"):
            _whole(self, name, at_least=1)
        for name in ("learning_rate", "min_learning_rate", "gate_width"):
            _whole(self, name, at_least=1)
        for name in ("deep_failures", "deep_successes", "consolidate_above"):
            _whole(self, name, at_least=0)
        _whole(self, "merge_batch", at_least=2)
        if self.epochs is not None:
            _whole(self, "epochs", at_least=1)
        if self.min_learning_rate > self.learning_rate:
            raise SettingsError(
                f"min_learning_rate is {self.min_learning_rate}, learning_rate only {self.learning_rate}"
            )


@dataclass(frozen=True)
class TrainSettings:
    """Settings of `train`; the defaults are meant to be left alone."""

    seed: int = 0
    """Names the random streams; the same seed, tasks and answers give the same run."""
    metric: Metric = "hard"
    """The score that search, gate and reports use: hard, soft, or a mix of both."""
    mixed_weight: float = 0.5
    """Weight of the soft score when the metric is mixed."""
    gate: GateName = "race"
    """What lets a candidate in: race (anytime-valid), strict (one pass), no_regression, none."""
    alpha: float = 0.05
    """Chance that a run of useless edits has any accepted by the race."""
    loop: LoopName = "draft"
    """draft: search on train, vet, gate once; batch: rollout a batch, compose edits, gate each step."""
    concurrency: int = 16
    """Calls in flight at once. It changes the speed, never the result."""
    lanes: int | None = None
    """Tasks worked on side by side; None derives it from the size of the train split."""
    edits: int = 4
    """Most edits taken from one teacher call of the draft loop."""
    retries: int = 2
    """How often an attempt that measured nothing is made again."""
    timeout: float | None = 1800.0
    """Seconds after which one call counts as failed to run; None waits forever."""
    batch: BatchSettings = field(default_factory=BatchSettings)
    """What only the batch loop reads; its edits per step are there."""
    on_event: OnEvent | None = None
    """Called with the kind and the data of every event; the library itself prints nothing."""

    def __post_init__(self) -> None:
        _one_of(self, metric=Metric, gate=GateName, loop=LoopName)
        for name in ("concurrency", "edits"):
            _whole(self, name, at_least=1)
        _whole(self, "retries", at_least=0)
        if self.lanes is not None:
            _whole(self, "lanes", at_least=1)
        if not isinstance(self.batch, BatchSettings):
            raise SettingsError(f"batch must be BatchSettings, not {type(self.batch).__name__}")
        if not 0 < self.alpha < 1 or not 0 <= self.mixed_weight <= 1:
            raise SettingsError("alpha lies between 0 and 1, mixed_weight from 0 to 1")
        if self.timeout is not None and not self.timeout > 0:
            raise SettingsError(f"timeout must be positive, not {self.timeout!r}")

    def as_json(self) -> dict[str, Any]:
        """What decides the result, and nothing that only decides how fast it comes."""
        silent = {"on_event", "concurrency", "timeout", "batch"}
        said = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in silent}
        if self.loop == "batch":
            batch = asdict(self.batch)
            del batch["analysts"]
            said["batch"] = batch
        return said


def _one_of(settings: object, **choices: object) -> None:
    for name, known in choices.items():
        if getattr(settings, name) not in get_args(known):
            raise SettingsError(
                f"{name} is {getattr(settings, name)!r}; it can be {', '.join(get_args(known))}"
            )


def _whole(settings: object, name: str, *, at_least: int) -> None:
    value = getattr(settings, name)
    if isinstance(value, bool) or not isinstance(value, int) or value < at_least:
        raise SettingsError(f"{name} must be a whole number of at least {at_least}, not {value!r}")
