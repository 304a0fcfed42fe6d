"""`sharpen config`: what a file means, where its values come from, what SkillOpt means by it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Literal

import typer

from sharpen.cli import options
from sharpen.cli.config import Resolved, read_config
from sharpen.cli.config.migration import EVERYWHERE, Change, changes
from sharpen.cli.config.training import training_of
from sharpen.cli.config.typed import words_of
from sharpen.cli.config.writing import as_flat, as_sections, as_yaml
from sharpen.cli.terminal import print_json, say


def command(
    action: Annotated[
        Literal["show", "migrate"],
        typer.Argument(help="Print the resolved values, or say what changed meaning against SkillOpt."),
    ],
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="A YAML file, SkillOpt's or ours, with its bases.")
    ] = None,
    overrides: options.Overrides = None,
    cfg_options: options.CfgOptions = None,
    preset: options.Preset = None,
    origins: Annotated[bool, typer.Option("--origins", help="Say where each value came from.")] = False,
    flat: Annotated[
        bool, typer.Option("--flat", help="JSON under SkillOpt's flat names, as its runs keep it.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Show what a configuration file means, here or in SkillOpt.

    Without a file `show` prints the built-in values, or those of the preset. Secrets are never printed.
    """
    paths, words = words_of([file, *(overrides or ())], paths=1)
    resolved = read_config(paths[0] if paths else None, [*(cfg_options or ()), *words], preset=preset)
    if action == "show" and flat:
        print_json(as_flat(resolved.config))
    elif action == "show":
        _show(resolved, origins=origins, json=json)
    else:
        _migrate(resolved, json=json)


def _show(resolved: Resolved, *, origins: bool, json: bool) -> None:
    training = training_of(resolved)
    if json:
        found: dict[str, object] = {"config": as_sections(resolved.config)}
        if origins:
            found["origins"] = {key: resolved.origin(key) for key, _ in resolved.config.values()}
        print_json({**found, "refused": training.refused, "idle": list(training.idle)})
        return
    typer.echo(as_yaml(resolved, origins=origins), nl=False)
    for key, reason in training.refused.items():
        say(f"{key} will be refused: {reason}")
    if training.idle:
        say(f"the {training.settings.loop} loop has no use for {', '.join(training.idle)}")


def _migrate(resolved: Resolved, *, json: bool) -> None:
    found = list(changes(resolved))
    if json:
        print_json({"changes": list(map(asdict, found)), "everywhere": list(map(asdict, EVERYWHERE))})
        return
    for change in (*found, *EVERYWHERE):
        _tell(change)


def _tell(change: Change) -> None:
    typer.echo(f"{change.key}\n  SkillOpt: {change.there}\n  here:     {change.here}")
    if change.keep:
        typer.echo(f"  to keep:  {change.keep}")
