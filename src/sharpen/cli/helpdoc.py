"""The page docs/cli.md, made from the verbs' own signatures and help.

python -m sharpen.cli.helpdoc docs/cli.md            write it
python -m sharpen.cli.helpdoc --check docs/cli.md    exit 1 when it is not what the program says
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import typer
from typer.models import ArgumentInfo, OptionInfo

from sharpen.cli.app import VERBS, Verb, options

SHORT_FLAG = re.compile(", -[a-zA-Z]\\b")
HEAD = "<!-- Made by `make docs` from the program; edit the program instead. -->\n\n# Command line\n"


class Parameter(NamedTuple):
    """One row of a verb's table."""

    spelled: str
    help: str
    default: str
    is_argument: bool
    required: bool


def page() -> str:
    """The whole page."""
    sections = (line for verb in VERBS for line in _section(verb))
    return "\n".join([HEAD, _doc(options), "", *_contents(), *sections])


def _contents() -> Iterator[str]:
    for verb in VERBS:
        yield f"- [`sharpen {verb.name}`](#sharpen-{verb.name}): {verb.help}"
    yield "\nThe program itself knows `--version`, `--help`, `--install-completion`, `--show-completion`.\n"


def _section(verb: Verb) -> Iterator[str]:
    command = import_module(f"sharpen.cli.{verb.module}").command
    found = list(_parameters(command))
    arguments = "".join(f" {one.spelled}" for one in found if one.is_argument)
    needed = "".join(f" {SHORT_FLAG.sub('', o.spelled)}" for o in found if o.required and not o.is_argument)
    yield f"## sharpen {verb.name}\n\n{_doc(command)}\n"
    yield f"```\nsharpen {verb.name}{arguments}{needed} [OPTIONS]\n```\n"
    yield "| | what it says | default |\n|---|---|---|"
    for one in found:
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in (f"`{one.spelled}`", *one[1:3])) + " |"
    yield ""


def _doc(function: Callable[..., object]) -> str:
    return inspect.cleandoc(function.__doc__ or "")


def _parameters(command: Callable[..., object]) -> Iterator[Parameter]:
    hints = get_type_hints(command, include_extras=True)
    for name, parameter in inspect.signature(command).parameters.items():
        if hints[name] is typer.Context:  # typer's own; nobody types it
            continue
        kind, info = _unpacked(hints[name])
        required = parameter.default is inspect.Parameter.empty
        spelled, is_argument = _spelled(name, kind, info), isinstance(info, ArgumentInfo)
        yield Parameter(
            spelled=f"[{spelled}]" if is_argument and not required else spelled,
            help=info.help or "",
            default="required" if required else _default(parameter.default),
            is_argument=is_argument,
            required=required,
        )


def _unpacked(hint: Any) -> tuple[Any, ArgumentInfo | OptionInfo]:
    kind, info = get_args(hint) if get_origin(hint) is Annotated else (hint, typer.Option())
    bare = [one for one in get_args(kind) if one is not NoneType] if NoneType in get_args(kind) else [kind]
    return bare[0], info


def _spelled(name: str, kind: Any, info: ArgumentInfo | OptionInfo) -> str:
    if isinstance(info, ArgumentInfo):
        return (info.metavar or name.upper()) + ("..." if get_origin(kind) is list else "")
    flags = ", ".join(_flags(info) or [f"--{name.replace('_', '-')}"])
    if kind is bool:
        return flags
    if get_origin(kind) is Literal:
        return f"{flags} {'|'.join(get_args(kind))}"
    return f"{flags} {info.metavar or {int: 'N', float: 'X', str: 'TEXT'}.get(kind, 'PATH')}"


def _flags(info: OptionInfo) -> list[str]:
    """Inside Annotated, typer keeps the first flag where the default would stand."""
    first = [info.default] if isinstance(info.default, str) and info.default.startswith("-") else []
    return [*first, *(info.param_decls or ())]


def _default(value: object) -> str:
    return "" if value is None or value is False else f"`{value}`"


def main() -> None:
    """Write the page, or with `--check` compare it."""
    checking, target = "--check" in sys.argv, Path(sys.argv[-1])
    if not checking:
        target.write_text(page(), encoding="utf-8")
    elif not target.is_file() or target.read_text(encoding="utf-8") != page():
        sys.exit(f"{target} is not what the program says; run `make docs`")


if __name__ == "__main__":
    main()
