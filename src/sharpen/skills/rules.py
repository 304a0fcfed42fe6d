"""Event rules: what a skill says at the moment something happens, written in `events.json` beside SKILL.md.

    {"rules": [{"id": "missing-module", "tool": "shell", "exit": "failed",
                "output": "ModuleNotFoundError: No module named 'yaml'",
                "say": "In this project PyYAML comes with the extra `dev`: pip install -e '.[dev]'."}]}

A rule names the tool (`shell`, `edit`, `read`, `any` or a client's own name) and its conditions, all of
which must hold: `command` and `output` (regular expressions), `path` (globs), `language`, `exit` (`failed`,
`ok` or a list of codes) and `not` (command, output or path that must not match). `cooldown` is in seconds.
This module reads, checks and compiles rules; whether one applies is `sharpen.hook.matching`'s.
"""

from __future__ import annotations

import json
import re
import unicodedata
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sharpen.errors import SkillError
from sharpen.hook.languages import NAMES
from sharpen.skills.document import Skill
from sharpen.skills.needles import best_of, needles_in, needles_in_globs
from sharpen.skills.regex_trial import endless

FILE = "events.json"
LONGEST_TEXT = 2_000  # characters; guidance that needs more belongs into the skill's body
LONGEST_PATTERN = 1_000
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_KEYS = {"id", "tool", "command", "output", "path", "language", "exit", "not", "say", "cooldown"}
_CONDITIONS = ("command", "output", "path")


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
        return tuple(_patterns(self.conditions).values())

    @property
    def needles(self) -> tuple[str, ...]:
        """Texts of which an event must hold one for the rule to apply; empty when none is certain."""
        patterns = [self.conditions[name] for name in ("output", "command") if name in self.conditions]
        globs = needles_in_globs(self.conditions.get("path", ()))
        return best_of([*map(needles_in, patterns), globs])

    def line(self) -> str:
        """The rule as the hook process reads it: one JSON array."""
        body: dict[str, Any] = {"id": f"{self.skill}/{self.id}", "skill": self.skill, **self.conditions}
        body["say"] = self.say
        if self.cooldown is not None:
            body["cooldown"] = self.cooldown
        return json.dumps([self.tool, "|".join(self.needles), body], ensure_ascii=False)


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
    conditions = _conditions(row, where)
    tool, cooldown = row.get("tool", "any"), row.get("cooldown")
    if not (isinstance(tool, str) and tool.isprintable() and tool) or '"' in tool or "\\" in tool:
        raise SkillError(f"{where}: tool must be a tool's name, not {tool!r}")
    if cooldown is not None and not (type(cooldown) is int and cooldown >= 0):
        raise SkillError(f"{where}: cooldown must be a number of seconds, not {cooldown!r}")
    return EventRule(row["id"], skill, tool, row["say"], conditions, cooldown)


def _check_text(say: Any, where: str) -> None:
    if not isinstance(say, str) or not say.strip():
        raise SkillError(f"{where} needs a text in `say`: the facts that help at this moment")
    if len(say) > LONGEST_TEXT:
        raise SkillError(f"{where}: `say` has {len(say)} characters, more than {LONGEST_TEXT}; shorten it")
    hidden = _hidden(say)
    if hidden:
        raise SkillError(f"{where}: `say` holds an invisible character (U+{ord(hidden):04X}); remove it")


def _hidden(text: str) -> str:
    """The first character that nobody can see; empty when there is none."""
    unseen = (one for one in text if unicodedata.category(one) in ("Cc", "Cf", "Co", "Cs", "Zl", "Zp"))
    return next((one for one in unseen if one not in "\n\t"), "")


def _conditions(row: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The conditions, checked; a single glob or language stands for a list of one."""
    conditions = {key: row[key] for key in ("command", "output", "exit") if key in row}
    conditions |= {key: _texts(row[key], f"{where}: {key}") for key in ("path", "language") if key in row}
    if "not" in row:
        negated = row["not"]
        if not (isinstance(negated, dict) and negated) or set(negated) - set(_CONDITIONS):
            raise SkillError(
                f"{where}: `not` must be an object with {', '.join(_CONDITIONS)} or some of them"
            )
        globs = {"path": _texts(negated["path"], f"{where}: not path")} if "path" in negated else {}
        conditions["not"] = {**negated, **globs}
    if not any(name in conditions for name in _CONDITIONS):
        raise SkillError(f"{where} has no {', '.join(_CONDITIONS)}: it would speak about everything")
    for name, pattern in _patterns(conditions).items():
        _check_pattern(pattern, f"{where}: {name}")
    unknown = sorted(set(conditions.get("language", ())) - NAMES)
    if unknown:
        raise SkillError(f"{where}: no language is called {unknown[0]}; known are {', '.join(sorted(NAMES))}")
    _check_exit(conditions.get("exit", "failed"), where)
    return conditions


def _patterns(conditions: Mapping[str, Any]) -> dict[str, Any]:
    """The regular expressions by the key they stand under."""
    negated = conditions.get("not", {})
    named = {name: conditions[name] for name in ("command", "output") if name in conditions}
    return named | {f"not {name}": negated[name] for name in ("command", "output") if name in negated}


def _texts(value: Any, where: str) -> list[str]:
    texts = [value] if isinstance(value, str) else value
    if not (isinstance(texts, list) and texts and all(isinstance(one, str) and one for one in texts)):
        raise SkillError(f"{where} must be a text or a list of texts, none of them empty")
    if any(_hidden(one) for one in texts):
        raise SkillError(f"{where} holds an invisible character; remove it")
    return texts


def _check_pattern(pattern: Any, where: str) -> None:
    if isinstance(pattern, str) and len(pattern) > LONGEST_PATTERN:
        raise SkillError(f"{where} has {len(pattern)} characters, more than {LONGEST_PATTERN}; shorten it")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a pattern that will mean something else one day
            re.compile(pattern)
        pattern.encode()  # half a surrogate pair cannot be written to the rules file
    except (re.error, TypeError, AttributeError, RecursionError, OverflowError, ValueError, Warning) as error:
        raise SkillError(f"{where} is not a regular expression: {error}") from error


def _check_exit(ended: Any, where: str) -> None:
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
