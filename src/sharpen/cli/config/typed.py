"""What a command line says about a configuration: a file, KEY=VALUEs, a preset, options that are keys."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import typer

from sharpen.cli.config.reading import Resolved, read_config
from sharpen.cli.config.record import PresetName
from sharpen.errors import UsageError

TYPED = {
    "seed": "train.seed",
    "metric": "evaluation.gate_metric",
    "gate": "evaluation.gate",
    "loop": "train.loop",
    "lanes": "train.lanes",
    "concurrency": "train.concurrency",
    "budget": "budget.rollouts",
    "calls": "budget.calls",
    "tokens": "budget.tokens",
    "usd": "budget.usd",
    "seconds": "budget.seconds",
    "run": "env.out_root",
}
"""Options of the verbs that say what a key says; typed, they are overrides."""


def words_of(words: Iterable[str | Path | None], *, paths: int) -> tuple[list[Path], list[str]]:
    """What stands on a command line without an option's name: at most so many paths, and KEY=VALUEs."""
    said = [str(word) for word in words if word is not None]
    overrides = [word for word in said if "=" in word and not Path(word).exists()]
    found = [Path(word) for word in said if word not in overrides]
    if len(found) > paths:
        raise UsageError(f"{found[paths]} is one too many here; values for a configuration are KEY=VALUE")
    return found, overrides


def resolve(
    context: typer.Context, file: Path | None, overrides: list[str], preset: PresetName | None
) -> Resolved | None:
    """The configuration that was asked for, with the typed options over it; None when none was."""
    if file is None and preset is None and not overrides:
        return None
    typed = [
        f"{key}={context.params[name]}"
        for name, key in TYPED.items()
        if name in context.params and _was_typed(context, name)
    ]
    return read_config(file, [*overrides, *typed], preset=preset)


def _was_typed(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
