"""From files, a preset and overrides to one checked `Config`, with the origin of every value.

The order, later wins: built-in defaults, a preset named in a file, the deepest base … the file itself, a
preset named on the command line, overrides such as `train.batch_size=20`. Complaints name file and line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Literal, get_args, get_origin

from pydantic import SecretStr, ValidationError
from pydantic_core import ErrorDetails

from sharpen.cli.config.environment import SUITES
from sharpen.cli.config.files import Setting, Word, Written, plain, read_flow, read_layers
from sharpen.cli.config.names import CLOSE, find_key, is_secret, nearest, unknown_key
from sharpen.cli.config.presets import PRESETS
from sharpen.cli.config.record import HIDDEN, SECTION_TYPES, SECTIONS, Config, PresetName
from sharpen.errors import SettingsError

BUILT_IN = "built in"
ARGUMENT = "argument"
_KINDS = {
    "bool_type": "true or false",
    "float_type": "a number",
    "int_type": "a whole number",
    "list_type": "a list such as [a, b]",
    "string_type": "text",
    "mapping_type": "keys with values",
    "dict_type": "keys with values",
}
_BOUNDS = {
    "greater_than": ("gt", "must be more than"),
    "greater_than_equal": ("ge", "must be at least"),
    "less_than": ("lt", "must be less than"),
    "less_than_equal": ("le", "must be at most"),
}


@dataclass(frozen=True)
class Value:
    """A value and where it came from."""

    value: object
    origin: str
    spelled: tuple[str, ...] = ()
    """How the key was written, where that matters."""


@dataclass(frozen=True)
class Resolved:
    """A configuration, where each of its values came from, and the files it was read from."""

    config: Config
    origins: Mapping[str, str] = field(default_factory=dict)
    """Origin by dotted key; what is not in it is built in."""
    files: tuple[Path, ...] = ()

    def origin(self, dotted: str) -> str:
        return self.origins.get(dotted, BUILT_IN)

    def is_given(self, dotted: str) -> bool:
        """Whether a file or an argument says it, rather than a preset or nobody."""
        return self.origin(dotted) != BUILT_IN and not self.origin(dotted).startswith("preset ")

    def is_changed(self, dotted: str) -> bool:
        """Whether a file or an argument says something else than the built-in value."""
        return self.is_given(dotted) and self.config.get(dotted) != Config().get(dotted)


def read_config(
    path: str | Path | None = None, overrides: Iterable[str] = (), *, preset: PresetName | None = None
) -> Resolved:
    """The configuration that a file (or none), overrides `key=value` and a preset make together."""
    layers = [] if path is None else read_layers(path)
    in_files = [_known(layer.settings) for layer in layers]
    typed = _known([_argument(one) for one in overrides], last_wins=True)
    over = preset or _preset([typed])
    below = _preset(in_files)
    stack = [*_laid(below), *in_files, *_laid(over), typed]
    values: dict[str, Value] = {}
    for settings in stack:
        values |= settings
    values.pop("preset", None)
    name = over or below
    config = _checked(_sort_out_strangers(values), name)
    return Resolved(
        config, {key: one.origin for key, one in values.items()}, tuple(one.path for one in layers)
    )


def _laid(preset: PresetName | None) -> Iterator[dict[str, Value]]:
    if preset is not None:
        yield {key: Value(value, f"preset {preset}") for key, value in PRESETS[preset].items()}


def _preset(layers: list[dict[str, Value]]) -> PresetName | None:
    """The preset named last; SettingsError when there is none of that name."""
    said = next((layer["preset"] for layer in reversed(layers) if "preset" in layer), None)
    if said is None or said.value is None:
        return None
    for name in PRESETS:
        if said.value == name:
            return name
    raise SettingsError(f"{said.origin}: there is no preset {said.value!r}; it can be {', '.join(PRESETS)}")


def _argument(text: str) -> Setting:
    key, sign, value = text.partition("=")
    if not sign or not key.strip():
        raise SettingsError(f"{text!r} is not an override; write key=value, such as train.batch_size=20")
    place = f"{ARGUMENT} {key.strip()}"
    word = Word(value.strip()) if not value.strip().startswith(("[", "{")) else read_flow(value, place)
    return Setting(tuple(key.strip().split(".", 1)), word, place)


def _known(settings: Iterable[Setting], *, last_wins: bool = False) -> dict[str, Value]:
    """The settings of one layer by dotted key. Unknown ones may be a suite's: they stay under `env.`"""
    found: dict[str, Value] = {}
    for one in settings:
        dotted = find_key(one.keys)
        if dotted is None:
            dotted = _stranger(one)
            if dotted is None:
                continue
        value = Value(_typed(dotted, one.value), one.place, one.keys)
        before = found.get(dotted)
        if before is not None and before.value != value.value and not last_wins:
            raise SettingsError(
                f"{one.place}: {dotted} has another value at {before.origin}; keep one of them"
            )
        found[dotted] = value
    return found


def _stranger(one: Setting) -> str | None:
    """A place under `env.` for a key that may belong to a suite; None for an empty section."""
    head = one.keys[0]
    if len(one.keys) == 1 and head in SECTIONS:
        if isinstance(one.value, Word) and one.value.is_null:
            return None
        raise SettingsError(
            f"{one.place}: {head} is a section; write its keys under it, such as {_sample(head)}"
        )
    if len(one.keys) == 1 or head == "env":
        return f"env.{one.keys[-1]}"
    raise unknown_key(one.keys, one.place)


def _sample(section: str) -> str:
    return f"{section}.{next(iter(SECTION_TYPES[section].model_fields))}"


def _typed(dotted: str, written: Written) -> object:
    """Text for keys that want text, else what YAML means by the word."""
    section, _, key = dotted.partition(".")
    info = SECTION_TYPES[section].model_fields.get(key) if section in SECTION_TYPES else None
    if not isinstance(written, Word) or info is None:
        return plain(written)
    if info.annotation is SecretStr:
        text = written.as_text()
        return SecretStr("" if text == HIDDEN else text)
    wants_text = info.annotation is str or get_origin(info.annotation) is Literal
    return written.as_text() if wants_text else written.as_value()


def _sort_out_strangers(values: dict[str, Value]) -> dict[str, Value]:
    """Keys only a suite of one's own can know go into `env.options`; under other suites they are mistakes."""
    suite = values.get("env.name", Value("", BUILT_IN)).value
    known = SECTION_TYPES["env"].model_fields
    options: dict[str, object] = {}
    origin = BUILT_IN
    for dotted, one in list(values.items()):
        section, _, key = dotted.partition(".")
        if section != "env" or key in known:
            continue
        if suite in ("", *SUITES) or nearest(one.spelled, likeness=CLOSE):
            raise unknown_key(one.spelled, one.origin)
        options[key], origin = one.value, one.origin
        del values[dotted]
    if options:
        said = values.get("env.options", Value({}, origin)).value
        values["env.options"] = Value({**(said if isinstance(said, dict) else {}), **options}, origin)
    return values


def _checked(values: Mapping[str, Value], preset: PresetName | None) -> Config:
    sections: dict[str, dict[str, object]] = {}
    for dotted, one in values.items():
        section, _, key = dotted.partition(".")
        sections.setdefault(section, {})[key] = one.value
    try:
        return Config.model_validate({"preset": preset, **sections})
    except ValidationError as error:
        first = error.errors()[0]
        dotted = ".".join(map(str, first["loc"][:2]))
        origin = values[dotted].origin if dotted in values else BUILT_IN
        raise SettingsError(f"{origin}: {_complaint(dotted, first)}") from error


def _complaint(dotted: str, error: ErrorDetails) -> str:
    """One finding of the validation in our words."""
    kind, given = error["type"], error["input"]
    if is_secret(dotted):
        return f"{dotted} must be text"
    if kind in _KINDS:
        return f"{dotted} must be {_KINDS[kind]}, not {given!r}"
    if kind in _BOUNDS:
        limit, words = _BOUNDS[kind]
        return f"{dotted} {words} {error['ctx'][limit]}, not {given!r}"
    if kind == "literal_error":
        return f"{dotted} cannot be {given!r}; {_choices(dotted, str(given))}"
    return f"{dotted}: {error['msg']}, not {given!r}"


def _choices(dotted: str, given: str) -> str:
    section, _, key = dotted.partition(".")
    annotation = SECTION_TYPES[section].model_fields[key].annotation
    words = [word for word in get_args(annotation) if word] if get_origin(annotation) is Literal else []
    near = get_close_matches(given, words, n=1)
    return f"did you mean {near[0]}?" if near else f"it can be {', '.join(words)}"
