"""Reading YAML files and the chain of their `_base_` files: every value as it was written, with its line.

SkillOpt's files are YAML 1.1, where yes and off are truth values and a bare 2:1:7 is a number in base 60. A
word keeps its text until the key that takes it is known: a key for text gets the text, so that a ratio stays
a ratio; other keys get the number, the truth value or null. Nothing is constructed, tags are refused. It
knows no keys but `_base_`, whose path is relative to the file that names it.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from sharpen.errors import SettingsError

BASE = "_base_"
DEEPEST = 8
"""Levels of nesting; also stops an alias that holds itself."""
_USUAL_TAG = "tag:yaml.org,2002:"
_TRUE = frozenset({"true", "yes", "on"})
_FALSE = frozenset({"false", "no", "off"})
_NULL = frozenset({"", "~", "null"})
_WHOLE = re.compile(r"[-+]?(0|[1-9][0-9_]*)")
_DECIMAL = re.compile(r"[-+]?([0-9][0-9_]*)?\.?[0-9]+([eE][-+]?[0-9]+)?|[-+]?[0-9][0-9_]*\.")


@dataclass(frozen=True)
class Word:
    """One scalar: its text, and whether it stood without quotes."""

    text: str
    bare: bool = True

    @property
    def is_null(self) -> bool:
        return self.bare and self.text.lower() in _NULL

    def as_text(self) -> str:
        """For keys that want text; null is the empty text, as in SkillOpt."""
        return "" if self.is_null else self.text

    def as_value(self) -> str | bool | int | float | None:
        """For all other keys."""
        lowered = self.text.lower()
        if not self.bare:
            return self.text
        if lowered in _NULL:
            return None
        if lowered in _TRUE or lowered in _FALSE:
            return lowered in _TRUE
        if _WHOLE.fullmatch(self.text):
            return int(self.text.replace("_", ""))
        # 010 is eight to some readers and ten to others: it stays text, which a key for numbers refuses.
        if _DECIMAL.fullmatch(self.text) and not re.match(r"[-+]?0[0-9]", self.text):
            return float(self.text.replace("_", ""))
        return self.text


Written = Word | list["Written"] | dict[str, "Written"]
"""A value as it stands in a file."""


def plain(written: Written) -> object:
    """The value with every word read."""
    if isinstance(written, Word):
        return written.as_value()
    if isinstance(written, list):
        return [plain(item) for item in written]
    return {key: plain(item) for key, item in written.items()}


@dataclass(frozen=True)
class Setting:
    """One value of a file: its keys from the outside in, and where it stands."""

    keys: tuple[str, ...]
    value: Written
    place: str


@dataclass(frozen=True)
class Layer:
    """The settings of one file, without those of its base."""

    path: Path
    settings: tuple[Setting, ...]


def read_layers(path: str | Path) -> list[Layer]:
    """The file and its bases, the deepest base first."""
    layers: list[Layer] = []
    seen: list[Path] = []
    here: Path | None = Path(path)
    asked_by = ""
    while here is not None:
        if here.resolve() in seen:
            raise SettingsError(f"{asked_by}: {BASE} leads back to {here}; remove one of the {BASE} lines")
        seen.append(here.resolve())
        settings = _settings(here, asked_by)
        base = next((one for one in settings if one.keys == (BASE,)), None)
        layers.insert(0, Layer(here, tuple(one for one in settings if one.keys[0] != BASE)))
        here, asked_by = (None, "") if base is None else (_base_path(base, here), base.place)
    return layers


def read_flow(text: str, place: str) -> Written:
    """A value in YAML's flow form, such as `[a, b]` on a command line."""
    node = _tree(text, place)
    return Word("") if node is None else _written(node, place, depth=0)


def _base_path(base: Setting, here: Path) -> Path:
    if not isinstance(base.value, Word) or not base.value.text:
        raise SettingsError(f"{base.place}: {BASE} must be the path of one YAML file")
    found = here.parent / base.value.text
    shorter = Path(os.path.normpath(found))
    return shorter if shorter.resolve() == found.resolve() else found


def _settings(path: Path, asked_by: str) -> list[Setting]:
    """Section by section: a mapping at the top is opened, everything else is one setting."""
    root = _tree(_text(path, asked_by), str(path))
    if root is None:
        return []
    if not isinstance(root, MappingNode):
        raise SettingsError(f"{path}: a configuration is a mapping of sections, such as 'train:' with keys")
    found: list[Setting] = []
    for key, node, place in _pairs(root, str(path)):
        if isinstance(node, MappingNode):
            inner = _pairs(node, str(path))
            found += [Setting((key, name), _written(n, at, depth=2), at) for name, n, at in inner]
        else:
            found.append(Setting((key,), _written(node, place, depth=1), place))
    return found


def _text(path: Path, asked_by: str) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} is not UTF-8 (byte {error.start}); save it as UTF-8") from error
    except OSError as error:
        asked = f"{asked_by}: the {BASE} file " if asked_by else "the configuration "
        raise SettingsError(f"{asked}{path} cannot be read ({error.strerror or error})") from error


def _tree(text: str, name: str) -> Node | None:
    try:
        tree: Node | None = YAML(typ="safe", pure=True).compose(text)
    except MarkedYAMLError as error:
        line = "" if error.problem_mark is None else f":{error.problem_mark.line + 1}"
        raise SettingsError(f"{name}{line}: this is not YAML: {error.problem or error.context}") from error
    except (YAMLError, ValueError, RecursionError) as error:
        raise SettingsError(f"{name}: this is not YAML: {' '.join(str(error).split())[:200]}") from error
    return tree


def _pairs(node: MappingNode, name: str) -> list[tuple[str, Node, str]]:
    """Keys with their values and places, `<<` merged in; a key that stands twice is refused."""
    own: dict[str, tuple[Node, str]] = {}
    merged: dict[str, tuple[Node, str]] = {}
    for key_node, value_node in node.value:
        place = f"{name}:{key_node.start_mark.line + 1}"
        if not isinstance(key_node, ScalarNode):
            raise SettingsError(f"{place}: a key must be a plain word")
        if key_node.value == "<<" and isinstance(value_node, MappingNode):
            merged.update({key: (inner, at) for key, inner, at in _pairs(value_node, name)})
            continue
        if key_node.value in own:
            first = own[key_node.value][1].rpartition(":")[2]
            raise SettingsError(f"{place}: {key_node.value} stands here again, after line {first}; keep one")
        own[key_node.value] = (value_node, place)
    return [(key, inner, place) for key, (inner, place) in {**merged, **own}.items()]


def _written(node: Node, place: str, *, depth: int) -> Written:
    if depth > DEEPEST:
        raise SettingsError(f"{place}: nested more than {DEEPEST} levels deep; flatten it")
    if not str(node.tag).startswith(_USUAL_TAG):
        raise SettingsError(f"{place}: the tag {node.tag} is not read; write a plain value")
    if isinstance(node, ScalarNode):
        return Word(_whole(str(node.value), place), bare=not node.style)
    if isinstance(node, SequenceNode):
        return [_written(item, place, depth=depth + 1) for item in node.value]
    if not isinstance(node, MappingNode):
        raise SettingsError(f"{place}: this kind of value is not read; write a plain one")
    name = place.rpartition(":")[0]
    return {key: _written(inner, at, depth=depth + 1) for key, inner, at in _pairs(node, name)}


def _whole(text: str, place: str) -> str:
    """JSON escapes rare characters as two halves, which YAML does not put together again."""
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError as error:
        raise SettingsError(f"{place}: half of a character; write the whole one") from error
