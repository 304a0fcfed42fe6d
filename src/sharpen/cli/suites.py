"""`sharpen suites`: the benchmarks by name: which there are, getting their data, writing one of your own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from sharpen.cli import options
from sharpen.cli.terminal import print_facts, print_json, print_table, say
from sharpen.errors import SettingsError, UsageError
from sharpen.tasks.suites import Suite, fetch, scaffold, suite_named, suite_names


def command(
    action: Annotated[
        Literal["list", "show", "fetch", "new"],
        typer.Argument(help="List the suites, show one, get its data, or write one of your own."),
    ] = "list",
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Which suite: a name of the list, or MODULE:OBJECT.")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="FOLDER", help="Where to: data/NAME for fetch, NAME for new if not given."),
    ] = None,
    config: Annotated[
        bool, typer.Option("--config", help="show: print the suite's configuration as YAML instead.")
    ] = False,
    json: options.Json = False,
) -> None:
    """List the benchmarks, show one, get its data, or write a suite of your own.

    Data come from their publishers on the Hugging Face hub, each file checked against the checksum stated
    there. HF_TOKEN opens gated data, HF_ENDPOINT names another hub. A new suite runs before you change it.
    """
    if action == "list":
        _list(json=json)
        return
    if name is None:
        raise UsageError(f"say which suite: sharpen suites {action} NAME; `sharpen suites` lists them")
    if action == "new":
        _new(name, folder or Path(name), json=json)
        return
    suite = suite_named(name)
    if action == "fetch":
        _fetch(suite, folder or Path("data", suite.name), json=json)
    elif config:
        typer.echo(suite.config, nl=False)
    else:
        _show(suite, json=json)


def _list(*, json: bool) -> None:
    rows = [_row(name) for name in suite_names()]
    if json:
        print_json(rows)
        return
    print_table(("suite", "student", "about"), [(row["name"], row["student"], row["about"]) for row in rows])


def _row(name: str) -> dict[str, str]:
    """A suite of an installed package that does not load is listed with what is wrong with it."""
    try:
        suite = suite_named(name)
    except SettingsError as error:
        return {"name": name, "student": "", "about": str(error)}
    return {"name": name, "student": suite.student, "about": suite.about}


def _show(suite: Suite, *, json: bool) -> None:
    facts = _facts(suite)
    if json:
        print_json({**facts, "options": dict(suite.options), "skill": suite.skill.text})
        return
    print_facts(facts.items())
    for key, value in suite.options.items():
        typer.echo(f"option {key}={value!r}")
    typer.echo(f"\n{suite.skill.text}", nl=False)


def _facts(suite: Suite) -> dict[str, str]:
    source = suite.source
    facts = {
        "suite": suite.name,
        "about": suite.about,
        "student": suite.student,
        "scorers": ", ".join(suite.scorers),
        "files": ", ".join(suite.files),
    }
    if source is None:
        return facts
    facts["data"] = source.page if source.dataset else source.command
    facts["licence"] = source.licence
    if source.remarks or source.gated:
        gate = "the publisher asks for consent" if source.gated else ""
        facts["remarks"] = "; ".join(filter(None, (source.remarks, gate)))
    return facts


def _fetch(suite: Suite, folder: Path, *, json: bool) -> None:
    if suite.source is not None and suite.source.dataset:
        say(f"{suite.name} from {suite.source.page}; licence: {suite.source.licence}")
    place = fetch(suite, folder, say=say)
    if json:
        print_json({"suite": suite.name, "folder": str(place)})
    else:
        typer.echo(str(place))


def _new(name: str, folder: Path, *, json: bool) -> None:
    written = scaffold(name, folder)
    if json:
        print_json({"suite": name, "files": [str(path) for path in written]})
        return
    for path in written:
        typer.echo(str(path))
    say(f"it runs as it is: cd {folder} && python -m pytest; its README says the rest")
