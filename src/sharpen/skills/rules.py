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
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from sharpen.errors import SkillError
from sharpen.hook.answer import LONGEST_TEXT, is_seen
from sharpen.hook.event import TOOLS
from sharpen.hook.languages import NAMES
from sharpen.hook.matching import ANY
from sharpen.hook.outcome import EDIT, READ, SHELL
from sharpen.skills.document import Skill
from sharpen.skills.folder import RULES_FILE
from sharpen.skills.needles import best_of, needles_in, needles_in_globs
from sharpen.skills.regex_trial import endless

FILE = RULES_FILE
LONGEST_PATTERN = 1_000
WORDS = (SHELL, EDIT, READ, ANY)
"""What rules call the tools that every client has; any other name is a client's own."""
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


def rules_of(*skills: Skill) -> tuple[EventRule, ...]:
    """The rules that skills carry, every pattern tried out; SkillError says which is wrong and what to do."""
    rules = tuple(rule for skill in skills for rule in read_rules(skill))
    slow = endless_ones(rules)
    if slow:
        raise SkillError("; ".join(f"{FILE} of the skill {rule.skill}, {told}" for rule, told in slow))
    return rules


def read_rules(skill: Skill) -> tuple[EventRule, ...]:
    """The rules a skill carries, checked but for the time that their patterns may take."""
    data = skill.files.get(FILE)
    if data is None:
        return ()
    wrong = complaints(data)
    if wrong:
        raise SkillError(f"{FILE} of the skill {skill.name}: {'; '.join(wrong)}")
    return tuple(_rule(row, str(skill.name)) for row in _rows(data))


def complaints(data: bytes) -> list[str]:
    """All that is wrong in the text of an `events.json`, each with what to do about it."""
    try:
        rows = _rows(data)
    except SkillError as error:
        return [str(error)]
    names = [row.get("id") for row in rows if isinstance(row, dict)]
    twice = sorted({name for name in names if isinstance(name, str) and names.count(name) > 1})
    each = [f"{_place(n, row)}: {wrong}" for n, row in enumerate(rows, 1) for wrong in _wrong(row)]
    return each + [f"the id {name} is there more than once; rename one" for name in twice]


def doubts(data: bytes) -> list[str]:
    """What is right in the text of an `events.json` without complaints, and hardly meant."""
    tools = ((_place(n, row), str(row.get("tool", ANY))) for n, row in enumerate(_rows(data), 1))
    return [
        f"{place}: only a client's own tool is called {tool}; did you mean {near[0]}?"
        for place, tool in tools
        if tool not in (*WORDS, *TOOLS) and (near := get_close_matches(tool.lower(), WORDS, 1, cutoff=0.75))
    ]


def _rows(data: bytes) -> list[Any]:
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise SkillError(f"it is not JSON: {error}") from error
    rows = content.get("rules") if isinstance(content, dict) else None
    if not isinstance(rows, list):
        raise SkillError('it must be an object with a list "rules"')
    return rows


def _place(number: int, row: Any) -> str:
    name = row.get("id") if isinstance(row, dict) else None
    return f"rule {number} ({name})" if isinstance(name, str) and _ID.fullmatch(name) else f"rule {number}"


def compiled(rules: Iterable[EventRule]) -> str:
    """The file the hook process reads, the same for the same rules."""
    ordered = sorted(rules, key=lambda rule: (rule.skill, rule.id))
    return "".join(f"{rule.line()}\n" for rule in ordered)


def _rule(row: Mapping[str, Any], skill: str) -> EventRule:
    """The rule of a row that nothing is wrong with; a single glob or language stands for a list of one."""
    conditions = {key: row[key] for key in ("command", "output", "exit") if key in row}
    conditions |= {key: _listed(row[key]) for key in ("path", "language") if key in row}
    if "not" in row:
        globs = {"path": _listed(row["not"]["path"])} if "path" in row["not"] else {}
        conditions["not"] = {**row["not"], **globs}
    return EventRule(row["id"], skill, row.get("tool", ANY), row["say"], conditions, row.get("cooldown"))


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _wrong(row: Any) -> Iterator[str]:
    """All that is wrong with one rule."""
    if not isinstance(row, dict):
        yield "it must be an object"
        return
    unknown = sorted(set(row) - _KEYS)
    if unknown:
        yield f"unknown keys: {', '.join(unknown)}; known are {', '.join(sorted(_KEYS))}"
    if not (isinstance(row.get("id"), str) and _ID.fullmatch(row["id"])):
        yield "it needs an id of small letters, digits and single hyphens"
    yield from _wrong_text(row.get("say"))
    yield from _wrong_conditions(row)
    tool, cooldown = row.get("tool", ANY), row.get("cooldown")
    if not (isinstance(tool, str) and tool.isprintable() and tool) or '"' in tool or "\\" in tool:
        yield f"tool must be a tool's name, not {tool!r}"
    if cooldown is not None and not (type(cooldown) is int and cooldown >= 0):
        yield f"cooldown must be a number of seconds, not {cooldown!r}"


def _wrong_text(say: Any) -> Iterator[str]:
    if not isinstance(say, str) or not say.strip():
        yield "it needs a text in `say`: the facts that help at this moment"
        return
    if len(say) > LONGEST_TEXT:
        yield f"`say` has {len(say)} characters, more than {LONGEST_TEXT}; shorten it"
    hidden = _hidden(say)
    if hidden:
        yield f"`say` holds an invisible character (U+{ord(hidden):04X}); remove it"


def _hidden(text: str) -> str:
    """The first character that nobody can see; empty when there is none. Spaces of all widths may be there,
    and what only a later version of Unicode knows.
    """
    unseen = (one for one in text if not is_seen(one) and one not in "\n\t")
    return next((one for one in unseen if unicodedata.category(one) not in ("Zs", "Cn")), "")


def _wrong_conditions(row: Mapping[str, Any]) -> Iterator[str]:
    if not any(name in row for name in _CONDITIONS):
        yield f"it has no {', '.join(_CONDITIONS)}: it would speak about everything"
    negated = row.get("not", {})
    if "not" in row and (not (isinstance(negated, dict) and negated) or set(negated) - set(_CONDITIONS)):
        yield f"`not` must be an object with {', '.join(_CONDITIONS)} or some of them"
        negated = {}
    for name, pattern in _patterns({**row, "not": negated}).items():
        yield from _wrong_pattern(pattern, name)
    for name, texts in (("path", row), ("language", row), ("not path", negated)):
        key = name.removeprefix("not ")
        if key in texts:
            yield from _wrong_texts(_listed(texts[key]), name)
    yield from _wrong_exit(row.get("exit", "failed"))


def _patterns(conditions: Mapping[str, Any]) -> dict[str, Any]:
    """The regular expressions by the key they stand under."""
    negated = conditions.get("not", {})
    named = {name: conditions[name] for name in ("command", "output") if name in conditions}
    return named | {f"not {name}": negated[name] for name in ("command", "output") if name in negated}


def _wrong_texts(texts: Any, name: str) -> Iterator[str]:
    if not (isinstance(texts, list) and texts and all(isinstance(one, str) and one for one in texts)):
        yield f"{name} must be a text or a list of texts, none of them empty"
    elif any(map(_hidden, texts)):
        yield f"{name} holds an invisible character; remove it"
    elif name == "language" and (unknown := sorted(set(texts) - NAMES)):
        yield f"no language is called {unknown[0]}; known are {', '.join(sorted(NAMES))}"


def _wrong_pattern(pattern: Any, name: str) -> Iterator[str]:
    if isinstance(pattern, str) and len(pattern) > LONGEST_PATTERN:
        yield f"{name} has {len(pattern)} characters, more than {LONGEST_PATTERN}; shorten it"
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a pattern that will mean something else one day
            re.compile(pattern)
        pattern.encode()  # half a surrogate pair cannot be written to the rules file
    except (re.error, TypeError, AttributeError, RecursionError, OverflowError, ValueError, Warning) as error:
        yield f"{name} is not a regular expression: {error}"


def _wrong_exit(ended: Any) -> Iterator[str]:
    codes = isinstance(ended, list) and bool(ended) and all(type(code) is int for code in ended)
    if ended not in ("failed", "ok") and not codes:
        yield f'exit must be "failed", "ok" or a list of exit codes, not {ended!r}'


def endless_ones(rules: tuple[EventRule, ...]) -> list[tuple[EventRule, str]]:
    """The rules with a pattern that can take for ever, and what to do. One trial: it takes a process."""
    tried = [(rule, pattern) for rule in rules for pattern in rule.patterns]
    advice = "can take for ever on an unlucky text; repeat one thing only once, such as a+ instead of (a+)+"
    return [
        (rule, f"rule {rule.id}: the pattern {pattern!r} {advice}")
        for rule, pattern in (tried[at] for at in endless([pattern for _, pattern in tried]))
    ]
