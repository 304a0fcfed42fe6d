"""The sections that say how a skill is learned: train, gradient, optimizer, evaluation, budget.

Defaults are those of SkillOpt's base file, but for the slow update, which is gated here unless told
otherwise. Keys that SkillOpt does not have say so in their line.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, SecretStr

from sharpen.cli.config.section import Count, Positive, Seconds, Section, Share
from sharpen.train.settings import (
    AppendixSource,
    GateName,
    LoopName,
    Merging,
    PairPolicy,
    Schedule,
    UpdateMode,
)
from sharpen.types import Metric

Control = Literal["fixed", "autonomous", "none"]
_OTHER_MODES = {
    "edits": "patch",
    "rewrite": "rewrite_from_suggestions",
    "suggestions": "rewrite_from_suggestions",
    "rewrite_suggestions": "rewrite_from_suggestions",
    "full_rewrite": "full_rewrite_minibatch",
    "minibatch_full_rewrite": "full_rewrite_minibatch",
    "skill_rewrite_minibatch": "full_rewrite_minibatch",
}


def _usual_mode(value: object) -> object:
    """SkillOpt knows several names for the same mode."""
    return _OTHER_MODES.get(value, value) if isinstance(value, str) else value


class Train(Section):
    """Epochs, batches and the seed."""

    num_epochs: Positive = 4
    """Passes over the train split."""
    train_size: Count = 0
    """Size the train split must have; 0 takes it as it is."""
    batch_size: Positive = 40
    """Train tasks rolled out per step."""
    accumulation: Positive = 1
    """Batches rolled out and reflected on before one update."""
    seed: int = 42
    """Names the random streams; also the split's seed when that is 0."""
    steps_per_epoch: Count | None = None
    """Has no effect, as in SkillOpt: steps follow from the sizes of split and batch."""
    loop: LoopName = "batch"
    """Not in SkillOpt. batch: its steps and epochs; draft: search on train, gate once."""
    lanes: Positive | None = None
    """Not in SkillOpt. Tasks worked on side by side by the draft loop; null derives it."""
    concurrency: Positive | None = None
    """Not in SkillOpt. Calls in flight; null takes env.workers."""
    retries: Count = 2
    """Not in SkillOpt. How often an attempt that measured nothing is made again."""
    timeout: Seconds | None = 1800.0
    """Not in SkillOpt. Seconds after which one attempt counts as failed to run; null waits."""
    mem0_enabled: bool = False
    """Sends skills to a hosted memory service."""
    mem0_api_key: SecretStr = SecretStr("")
    """Key of the hosted memory service."""
    mem0_namespace: str = ""
    """Name under which the hosted memory keeps a project."""
    mem0_retrieval_enabled: bool = True
    """Reads the hosted memory back into reflection."""
    mem0_retrieval_limit: Positive = 5
    """Records read back per reflection."""
    mem0_timeout_seconds: Seconds = 5.0
    """Seconds to wait for the hosted memory."""
    mem0_max_chars: Positive = 4000
    """Most characters of one record sent to the hosted memory."""


class Gradient(Section):
    """Reflection: what the teacher sees per call."""

    minibatch_size: Positive = 8
    """Trajectories per reflection call."""
    merge_batch_size: Annotated[int, Field(ge=2)] = 8
    """Patches merged per call."""
    analyst_workers: Positive = 16
    """Reflection calls in flight."""
    failure_only: bool = False
    """Leave successful trajectories out of reflection."""
    merging: Merging = "auto"
    """Not in SkillOpt. Who merges proposals: a model, plain rules, or rules while they are few."""
    max_analyst_rounds: Positive = 1
    """Refinement rounds per analyst: the paper's 3 were never built in SkillOpt; 1 is off."""
    use_deep_reflect: bool = False
    """The teacher may ask for probes before it proposes."""
    deep_reflect_failures: Count = 4
    """Failures it may probe."""
    deep_reflect_successes: Count = 2
    """Successes it may probe."""


class Optimizer(Section):
    """Updates: how many edits, in which form, and what happens at the end of an epoch."""

    learning_rate: Positive = 4
    """Most edits applied per step."""
    min_learning_rate: Positive = 2
    """Fewest edits a decaying schedule goes down to."""
    lr_scheduler: Schedule = "cosine"
    """How the edit budget changes over the steps."""
    lr_control_mode: Control = "fixed"
    """fixed: the schedule decides; autonomous: the teacher does; none: no limit."""
    skill_update_mode: Annotated[UpdateMode, BeforeValidator(_usual_mode)] = "patch"
    """Single edits, one rewrite from suggestions, or whole skills from each minibatch."""
    use_slow_update: bool = True
    """Compare epochs on the same tasks and write guidance into the protected region."""
    slow_update_samples: Positive = 20
    """Train tasks compared."""
    slow_update_gate_with_selection: bool = True
    """Guidance passes the gate like any other edit; SkillOpt's base file says false."""
    longitudinal_pair_policy: PairPolicy = "mixed"
    """Which compared tasks are shown: all, those whose outcome changed, or the others."""
    use_meta_skill: bool = True
    """Keep notes for the teacher across epochs; they are never shipped."""
    use_meta_reflect: bool = False
    """At the end of an epoch, propose edits from its whole history, through the gate."""
    use_skill_aware_reflection: bool = False
    """Tell rules that are missing from rules that were not followed."""
    skill_aware_appendix_source: AppendixSource = "both"
    """Which analysts may note rules that were not followed."""
    skill_aware_consolidate_threshold: Count = 0
    """Notes in the appendix above which they are condensed; 0 never does."""
    first_match: bool = False
    """Not in SkillOpt, which does so. A target that occurs twice is its first occurrence, not an error."""
    meta_learning_rate: Count | None = None
    """Has no effect, as in SkillOpt."""


class Evaluation(Section):
    """The gate and the final look."""

    use_gate: bool = True
    """false accepts every candidate."""
    gate: GateName = "race"
    """Not in SkillOpt, whose gate is strict: one pass, larger mean, ties rejected."""
    alpha: Annotated[float, Field(gt=0, lt=1)] = 0.05
    """Not in SkillOpt. Chance that a run of useless edits has any accepted by the race."""
    gate_width: Positive = 32
    """Not in SkillOpt. Selection tasks the batch loop's race measures between two looks; 1 spends least."""
    gate_metric: Metric = "hard"
    """The score that decides."""
    gate_mixed_weight: Share = 0.5
    """Weight of the soft score when the metric is mixed."""
    use_semantic_density: bool = False
    """Adds a bonus for words like MUST and NEVER to the gate's score."""
    semantic_density_weight: Annotated[float, Field(ge=0)] = 0.05
    """Weight of that bonus."""
    leading_words: list[str] | None = None
    """The words that earn it; null takes SkillOpt's list."""
    sel_env_num: Count = 0
    """Selection tasks used, the first so many; 0 takes all."""
    test_env_num: Count = 0
    """Test tasks used, the first so many; 0 takes all."""
    eval_test: bool = True
    """Look at the test split at the end."""


class Limits(Section):
    """Not in SkillOpt. Hard limits; without any, what the epochs need is computed from the splits."""

    rollouts: Positive | None = None
    """Most attempts."""
    calls: Positive | None = None
    """Most attempts and teacher calls."""
    tokens: Positive | None = None
    """Most tokens."""
    usd: Annotated[float, Field(gt=0)] | None = None
    """Most money."""
    seconds: Seconds | None = None
    """Most wall time."""


class HumanFeedback(Section):
    """A person who reviews each gate."""

    enabled: bool = False
    """Stop at each gate for a person."""
    timeout_seconds: Annotated[float, Field(ge=0)] = 0
    """Seconds to wait for the person; 0 waits forever."""
    on_timeout: Literal["fallback_to_gate", "accept", "reject"] = "fallback_to_gate"
    """What happens when nobody answers."""
    max_retries_per_step: Count = 3
    """Rounds of review within one step."""
