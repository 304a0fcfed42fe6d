"""Event rules: what a skill says at the moment something happens, written in `events.json` beside SKILL.md.

    {"rules": [{"id": "missing-module", "tool": "shell", "exit": "failed",
                "output": "ModuleNotFoundError: No module named 'yaml'",
                "say": "In this project PyYAML comes with the extra `dev`: pip install -e '.[dev]'."}]}

A rule names the tool (`shell`, `edit`, `read`, `any` or a client's own name) and its conditions, all of
which must hold: `command` and `output` (regular expressions), `path` (globs), `language`, `exit` (`failed`,
`ok` or a list of codes) and `not` (patterns for command, output or path that must not match). `cooldown` is
in seconds. This module reads, checks and compiles rules; whether one applies is `sharpen.hook.matching`'s.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from re import _parser  # type: ignore[attr-defined]  # the engine's own view of a pattern
from typing import Any

from sharpen.errors import SkillError
from sharpen.skills.document import Skill
from sharpen.skills.regex_trial import endless

FILE = "events.json"
LONGEST_TEXT = 2_000  # characters; guidance that needs more belongs into the skill's body
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_KEYS = {"id", "tool", "command", "output", "path", "language", "exit", "not", "say", "cooldown"}
_CONDITIONS = ("command", "output", "path")
_FORBIDDING = {"command", "output", "path"}


@dataclass(frozen=True)
class EventRule:
    """One checked rule of one skill. `id` is unique in the skill; `conditions` are as they were written."""

    id: str
    skill: str
    tool: str
    say: str
    conditions: Mapping[str, Any]
    cooldown: int | None = None

    @property
    def patterns(self) -> tuple[str, ...]:
        """Every regular expression in it."""
        forbidding = self.conditions.get("not", {})
        named = [self.conditions.get("command"), self.conditions.get("output"), *forbidding.values()]
        return tuple(pattern for pattern in named if pattern)

    @property
    def literal(self) -> str:
        """A text without which it cannot apply; empty when there is none that is certain."""
        found = (literal_in(self.conditions.get(name, "")) for name in ("output", "command"))
        return max(found, key=len)

    def line(self) -> str:
        """The rule as the hook process reads it: one JSON array."""
        body: dict[str, Any] = {"id": f"{self.skill}/{self.id}", "skill": self.skill, **self.conditions}
        body["say"] = self.say
        if self.cooldown is not None:
            body["cooldown"] = self.cooldown
        return json.dumps([self.tool, self.literal, body], ensure_ascii=False)


def rules_of(skill: Skill) -> tuple[EventRule, ...]:
    """The rules a skill carries; SkillError says which one is wrong, why, and what to do."""
    data = skill.files.get(FILE)
    if data is None:
        return ()
    where = f"{FILE} of the skill {skill.name}"
    try:
        content = json.loads(data)
    except ValueError as error:
        raise SkillError(f"{where} is not JSON: {error}") from error
    rows = content.get("rules") if isinstance(content, dict) else None
    if not isinstance(rows, list):
        raise SkillError(f'{where} must be an object with a list "rules"')
    rules = tuple(_rule(row, str(skill.name), f"{where}, rule {n}") for n, row in enumerate(rows, 1))
    names = [rule.id for rule in rules]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise SkillError(f"{where} has the id {', '.join(sorted(twice))} more than once; rename one")
    _refuse_endless(rules, where)
    return rules


def compiled(rules: Iterable[EventRule]) -> str:
    """The file the hook process reads, the same for the same rules."""
    ordered = sorted(rules, key=lambda rule: (rule.skill, rule.id))
    return "".join(f"{rule.line()}\n" for rule in ordered)


def literal_in(pattern: str) -> str:
    """The longest text that every match of the pattern contains and that JSON writes as it is."""
    if not pattern:
        return ""
    parsed = _parser.parse(pattern, re.MULTILINE)
    if parsed.state.flags & re.IGNORECASE:
        return ""
    runs = "".join(_certain(parsed)).split("\0")
    return max(runs, key=len)


def _certain(nodes: Any) -> Iterable[str]:
    """The characters that must be there, with a NUL wherever something uncertain stands between them."""
    for node in nodes:
        name, value = str(node[0]), node[1]
        if name == "LITERAL":
            letter = chr(value)
            plain = letter.isprintable() and letter not in '"\\'
            yield letter if plain else "\0"
        elif name == "SUBPATTERN" and not value[1] and not value[2]:
            yield from _certain(value[3])
        elif name == "MAX_REPEAT" and value[0] >= 1:
            yield from ("\0", *_certain(value[2]), "\0")
        elif name != "AT":
            yield "\0"


def _rule(row: Any, skill: str, where: str) -> EventRule:
    if not isinstance(row, dict):
        raise SkillError(f"{where} must be an object")
    unknown = sorted(set(row) - _KEYS)
    if unknown:
        raise SkillError(
            f"{where} has unknown keys: {', '.join(unknown)}; known are {', '.join(sorted(_KEYS))}"
        )
    if not (isinstance(row.get("id"), str) and _ID.fullmatch(row["id"])):
        raise SkillError(f"{where} needs an id of small letters, digits and single hyphens")
    where = f"{where} ({row['id']})"
    _check_text(row.get("say"), where)
    conditions = {
        key: row[key] for key in ("command", "output", "path", "language", "exit", "not") if key in row
    }
    if not any(name in conditions for name in _CONDITIONS):
        raise SkillError(f"{where} has no {', '.join(_CONDITIONS)}: it would speak about everything")
    _check_conditions(conditions, where)
    tool, cooldown = row.get("tool", "any"), row.get("cooldown")
    if not isinstance(tool, str) or '"' in tool or "\\" in tool:
        raise SkillError(f"{where}: tool must be a tool's name, not {tool!r}")
    if cooldown is not None and not (isinstance(cooldown, int) and cooldown >= 0):
        raise SkillError(f"{where}: cooldown must be a number of seconds, not {cooldown!r}")
    return EventRule(row["id"], skill, tool, row["say"], conditions, cooldown)


def _check_text(say: Any, where: str) -> None:
    if not isinstance(say, str) or not say.strip():
        raise SkillError(f"{where} needs a text in `say`: the facts that help at this moment")
    if len(say) > LONGEST_TEXT:
        raise SkillError(f"{where}: `say` has {len(say)} characters, more than {LONGEST_TEXT}; shorten it")
    hidden = [
        letter
        for letter in say
        if unicodedata.category(letter) in ("Cc", "Cf", "Cs") and letter not in "\n\t"
    ]
    if hidden:
        raise SkillError(f"{where}: `say` holds an invisible character (U+{ord(hidden[0]):04X}); remove it")


def _check_conditions(conditions: Mapping[str, Any], where: str) -> None:
    forbidding = conditions.get("not", {})
    if not isinstance(forbidding, dict) or set(forbidding) - _FORBIDDING:
        raise SkillError(
            f"{where}: `not` must be an object with patterns for {', '.join(sorted(_FORBIDDING))}"
        )
    patterns = {name: conditions[name] for name in ("command", "output") if name in conditions}
    for name, pattern in (*patterns.items(), *(("not", pattern) for pattern in forbidding.values())):
        try:
            re.compile(pattern)
        except (re.error, TypeError, RecursionError, OverflowError) as error:
            raise SkillError(f"{where}: {name} is not a regular expression: {error}") from error
    for name in ("path", "language"):
        value = conditions.get(name, [])
        if not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
            raise SkillError(f"{where}: {name} must be a list of texts")
    ended = conditions.get("exit", "failed")
    codes = isinstance(ended, list) and bool(ended) and all(type(code) is int for code in ended)
    if ended not in ("failed", "ok") and not codes:
        raise SkillError(f'{where}: exit must be "failed", "ok" or a list of exit codes, not {ended!r}')


def _refuse_endless(rules: tuple[EventRule, ...], where: str) -> None:
    tried = [(rule, pattern) for rule in rules for pattern in rule.patterns]
    for at in endless([pattern for _, pattern in tried]):
        rule, pattern = tried[at]
        raise SkillError(
            f"{where}, rule {rule.id}: the pattern {pattern!r} can take for ever on an unlucky text; "
            "repeat one thing only once, such as a+ instead of (a+)+"
        )
