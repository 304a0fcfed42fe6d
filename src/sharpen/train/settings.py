"""Everything a training run can be told beyond its budget, in one frozen record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from sharpen.errors import SettingsError
from sharpen.types import Json, Metric

GateName = Literal["race", "strict", "no_regression", "none"]
LoopName = Literal["draft", "batch"]
OnEvent = Callable[[str, Json], None]


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
    """Most edits taken from one teacher call."""
    retries: int = 2
    """How often an attempt that measured nothing is made again."""
    timeout: float | None = 1800.0
    """Seconds after which one call counts as failed to run; None waits forever."""
    batch_size: int = 40
    """Train tasks per step of the batch loop."""
    on_event: OnEvent | None = None
    """Called with the kind and the data of every event; the library itself prints nothing."""

    def __post_init__(self) -> None:
        for name, choices in (("metric", Metric), ("gate", GateName), ("loop", LoopName)):
            if getattr(self, name) not in get_args(choices):
                known = ", ".join(get_args(choices))
                raise SettingsError(f"{name} is {getattr(self, name)!r}; it can be {known}")
        for name in ("concurrency", "edits", "batch_size"):
            self._require(name, at_least=1)
        self._require("retries", at_least=0)
        if self.lanes is not None:
            self._require("lanes", at_least=1)
        if not 0 < self.alpha < 1 or not 0 <= self.mixed_weight <= 1:
            raise SettingsError("alpha lies between 0 and 1, mixed_weight from 0 to 1")
        if self.timeout is not None and not self.timeout > 0:
            raise SettingsError(f"timeout must be positive, not {self.timeout!r}")

    def _require(self, name: str, *, at_least: int) -> None:
        value = getattr(self, name)
        if isinstance(value, bool) or not isinstance(value, int) or value < at_least:
            raise SettingsError(f"{name} must be a whole number of at least {at_least}, not {value!r}")

    def as_json(self) -> dict[str, Any]:
        """What decides the result: everything but concurrency, timeout and the callback."""
        silent = {"on_event", "concurrency", "timeout"}
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name not in silent}
