"""What a SkillOpt file means here that it did not mean there.

Each change names the key, what SkillOpt does with it, what happens here, and how to keep the old way where
that is possible. `EVERYWHERE` are the changes that no key decides. It changes no file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sharpen.cli.config.names import is_secret
from sharpen.cli.config.reading import BUILT_IN, Resolved
from sharpen.cli.config.training import DEAD


@dataclass(frozen=True)
class Change:
    """One key whose meaning differs."""

    key: str
    there: str
    """What SkillOpt does."""
    here: str
    """What sharpen does."""
    keep: str = ""
    """How to have it the old way; empty when that cannot be had."""


EVERYWHERE = (
    Change(
        "errors",
        "an answer that never came counts as a wrong one",
        "it is tried again, and if it stays away the task is not measured; a gate that could not measure "
        "enough decides nothing",
    ),
    Change(
        "unknown keys",
        "dropped in silence, but for some under env",
        "an error that names the nearest known key",
    ),
    Change(
        "resume",
        "whatever lies in out_root is taken up, also from another configuration",
        "the same command goes on; another configuration is named and refused",
    ),
    Change(
        "order of answers",
        "the order in which answers came decides what is merged",
        "the same seed gives the same run, whatever came first",
    ),
    Change(
        "final look",
        "test of the starting, the best and the last skill",
        "one look at the test split, final and starting skill side by side",
    ),
)

_Condition = Callable[[Resolved], bool]


def changes(resolved: Resolved) -> Iterator[Change]:
    """The keys of this configuration that mean something else here, in the order of the table."""
    yield from (change for applies, change in _TABLE if applies(resolved))
    for key in DEAD:
        if resolved.is_given(key):
            yield Change(key, "read and not used", "read and not used; remove it")
    for key, _ in resolved.config.values():
        if is_secret(key) and resolved.config.get(key):
            yield Change(
                key,
                "written to config.json and summary.json in clear text",
                "used, never written; the environment is the better place for it",
            )


def _silent(key: str) -> _Condition:
    return lambda resolved: resolved.origin(key) == BUILT_IN


def _is(key: str, *values: object) -> _Condition:
    return lambda resolved: resolved.config.get(key) in values


def _given(key: str) -> _Condition:
    return lambda resolved: bool(resolved.is_given(key) and resolved.config.get(key))


def _rounds(resolved: Resolved) -> bool:
    return resolved.config.gradient.max_analyst_rounds > 1


_TABLE: tuple[tuple[_Condition, Change], ...] = (
    (
        _silent("evaluation.gate"),
        Change(
            "evaluation.gate",
            "accepts whatever has the larger mean on one pass, and never measures the incumbent again",
            "pairs candidate and incumbent task by task until the difference is proved or not worth more",
            "evaluation.gate=strict",
        ),
    ),
    (
        _silent("optimizer.slow_update_gate_with_selection"),
        Change(
            "optimizer.slow_update_gate_with_selection",
            "false: the slow update's guidance is taken without a gate",
            "true: it passes the gate, as the paper says",
            "optimizer.slow_update_gate_with_selection=false",
        ),
    ),
    (
        _is("optimizer.first_match", False),
        Change(
            "optimizer.first_match",
            "an edit whose target occurs twice changes the first occurrence",
            "such an edit is refused as ambiguous, and reported",
            "optimizer.first_match=true",
        ),
    ),
    (
        _is("gradient.merging", "auto"),
        Change(
            "gradient.merging",
            "a model merges and ranks the proposals, however few they are",
            "plain rules do while they are few, without a call",
            "gradient.merging=model",
        ),
    ),
    (
        _rounds,
        Change(
            "gradient.max_analyst_rounds",
            "read and not used",
            "each analyst refines its answer up to so many times",
            "gradient.max_analyst_rounds=1",
        ),
    ),
    (
        _is("optimizer.lr_control_mode", "none"),
        Change(
            "optimizer.lr_control_mode",
            "none still follows the schedule in patch mode",
            "none applies every edit",
            "optimizer.lr_control_mode=fixed",
        ),
    ),
    (
        _is("optimizer.lr_control_mode", "autonomous"),
        Change(
            "optimizer.lr_control_mode",
            "an unreadable answer about the edit budget counts as 0",
            "an unreadable answer is asked for once more; then the schedule decides",
        ),
    ),
    (
        _is("optimizer.skill_update_mode", "rewrite_from_suggestions", "full_rewrite_minibatch"),
        Change(
            "optimizer.skill_update_mode",
            "the model is asked to leave protected regions alone",
            "protected regions are put back byte for byte, whatever the model wrote",
        ),
    ),
    (
        _is("optimizer.use_skill_aware_reflection", True),
        Change(
            "optimizer.use_skill_aware_reflection",
            "notes go into the appendix without a gate, also when the step was rejected",
            "notes pass the gate like every other edit",
        ),
    ),
    (
        _is("evaluation.use_semantic_density", True),
        Change(
            "evaluation.use_semantic_density",
            "adds a bonus for words like MUST and NEVER to the gate's score",
            "refused: the gate's score is the tasks' score",
        ),
    ),
    (
        _is("train.mem0_enabled", True),
        Change(
            "train.mem0_enabled", "skills and summaries go to a hosted service", "refused: nothing is sent"
        ),
    ),
    (
        _is("human_feedback.enabled", True),
        Change(
            "human_feedback.enabled",
            "the run stops at each gate for a person",
            "refused: the gate decides alone",
        ),
    ),
    (
        _given("env.skill_init"),
        Change(
            "env.skill_init",
            "a file that does not exist is a blank skill",
            "a file that does not exist is an error",
        ),
    ),
)
