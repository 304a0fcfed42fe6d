"""The two sets of settings one can start from: what SkillOpt published, and what `sharpen.train` does itself.

A preset is a handful of dotted keys with values. Named in a file it lies under the file's own settings; named
on the command line it lies over the files and under the other arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sharpen.cli.config.record import PresetName
from sharpen.train.settings import TrainSettings

PAPER: Mapping[str, object] = MappingProxyType(
    {
        "train.loop": "batch",
        "train.num_epochs": 4,
        "train.batch_size": 40,
        "train.accumulation": 1,
        "train.seed": 42,
        "gradient.minibatch_size": 8,
        "gradient.merge_batch_size": 8,
        "gradient.analyst_workers": 16,
        "gradient.max_analyst_rounds": 3,
        "gradient.failure_only": False,
        "gradient.merging": "model",
        "optimizer.learning_rate": 4,
        "optimizer.min_learning_rate": 2,
        "optimizer.lr_scheduler": "cosine",
        "optimizer.lr_control_mode": "fixed",
        "optimizer.skill_update_mode": "patch",
        "optimizer.use_slow_update": True,
        "optimizer.slow_update_samples": 20,
        "optimizer.slow_update_gate_with_selection": True,
        "optimizer.longitudinal_pair_policy": "mixed",
        "optimizer.use_meta_skill": True,
        "optimizer.first_match": True,
        "evaluation.use_gate": True,
        "evaluation.gate": "strict",
        "evaluation.gate_metric": "hard",
        "env.split_ratio": "2:1:7",
        "env.split_seed": 42,
    }
)
"""SkillOpt's published settings (arXiv 2605.23904, sections 3 and 4), else what its code does."""

_OURS = TrainSettings()
DEFAULT: Mapping[str, object] = MappingProxyType(
    {
        "train.loop": _OURS.loop,
        "train.seed": _OURS.seed,
        "train.lanes": _OURS.lanes,
        "train.concurrency": _OURS.concurrency,
        "train.retries": _OURS.retries,
        "train.timeout": _OURS.timeout,
        "optimizer.learning_rate": _OURS.edits,
        "evaluation.use_gate": _OURS.gate != "none",
        "evaluation.gate": _OURS.gate,
        "evaluation.alpha": _OURS.alpha,
        "evaluation.gate_metric": _OURS.metric,
        "evaluation.gate_mixed_weight": _OURS.mixed_weight,
    }
)
"""What `sharpen.train` does when nobody says otherwise; read from its own record, so that both stay equal."""

PRESETS: Mapping[PresetName, Mapping[str, object]] = MappingProxyType({"paper": PAPER, "default": DEFAULT})
