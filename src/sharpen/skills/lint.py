"""Look a skill over: does it follow the Agent Skills standard, and will clients read it as it is meant?

Every finding has a stable rule id, a reason with its remedy, and a line where there is one. Errors are what
clients refuse, run or cannot show; warnings are what they cut short or change. Nothing is repaired here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from sharpen.errors import SkillError
from sharpen.skills.document import Skill, tokens
from sharpen.skills.folder import RULES_FILE, SKILL_FILE, is_plain_yaml
from sharpen.skills.frontmatter import block_of, violations
from sharpen.skills.regions import MARKER

Level = Literal["error", "warning"]
MAX_BODY_LINES = 500  # the standard's recommendation
MAX_BODY_TOKENS = 5000  # the standard's recommendation, and what Claude Code keeps after compaction
MAX_BODY_BYTES = 8000  # where Codex cuts the body of a skill that comes with a plugin
MIN_DUPLICATE = 12  # characters; shorter lines repeat for good reasons ("Example:")

_WHEN = re.compile(
    r"\b(when|whenever|if|before|after|while|during|use[ds]?|using|needs?|asks?|trigger\w*)\b", re.IGNORECASE
)
_FIELD_LINE = re.compile(r"([A-Za-z-]+)[ \t]*:")
_BARE_VALUE = re.compile(
    r"[ ]+\S+:[ \t]+([-+.0-9][-+.\deE_:]*|true|false|yes|no|on|off|null|~)[ \t]*(#.*)?", re.I
)
_FILE = re.compile(r"(?<![\w./\\-])(?:\./)?((?:scripts|references|assets)/[\w./-]++)(?![*<{$])")
_BIDI_OR_CONTROL = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_ZERO_WIDTH = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


class Finding(NamedTuple):
    """One thing to look at; `line` counts from 1 in the whole text, None when it concerns all of it."""

    level: Level
    rule: str
    message: str
    line: int | None = None


class _ClientSyntax(NamedTuple):
    level: Level
    rule: str
    pattern: re.Pattern[str]
    effect: str


_CLIENT_SYNTAX = (
    _ClientSyntax(
        "error",
        "client-runs-command",
        re.compile(r"!`[^`\n]+`|^[ \t]*(?:`{3,}|~{3,})!", re.MULTILINE),
        "is run as a command when Claude Code loads the skill; put a space after the '!' or reword it",
    ),
    _ClientSyntax(
        "warning",
        "client-expands-variable",
        re.compile(r"(?<!\\)\$(?:ARGUMENTS\b|[0-9]+|\{CLAUDE_\w*\})"),
        "is replaced by an argument when Claude Code loads the skill; write a backslash before the '$'",
    ),
    _ClientSyntax(
        "warning",
        "client-attaches-file",
        re.compile(
            r"(?<![\w`@/.\\])@(?:[\w.~-]*/[\w./-]+|[\w-]+\.(?:md|txt|py|json|ya?ml|toml|sh|js|ts|csv|html|cfg|ini))\b"
        ),
        "makes Claude Code attach the file of that name; put it in backticks",
    ),
)


def lint(skill: Skill, *, folder_name: str | None = None) -> tuple[Finding, ...]:
    """Every finding, in order of line. With `folder_name` the skill is held to the rules for folders."""
    findings = [
        *_frontmatter(skill, folder_name),
        *_size(skill),
        *_client_syntax(skill),
        *_characters(skill.text),
        *_characters_of_files(skill),
        *_missing_files(skill),
        *_markers(skill),
        *_duplicates(skill),
        *_event_rules(skill),
    ]
    return tuple(sorted(findings, key=lambda finding: (finding.line or 0, finding.level, finding.rule)))


def lint_path(path: str | Path) -> tuple[Finding, ...]:
    """Lint a Markdown file, a skill folder or a JSON file of event rules, whose patterns are tried out.

    What cannot be read at all is a finding, too.
    """
    path = Path(path)
    home = path.parent if path.name == SKILL_FILE else path
    try:
        if home.suffix == ".json" and home.is_file():
            rules = Skill("", {RULES_FILE: home.read_bytes()})
            return (*_event_rules(rules, where=""), *_endless_rules(rules, where=""))
        skill = Skill.read(home)
        found = lint(skill, folder_name=home.resolve().name if home.is_dir() else None)
        return found + tuple(_endless_rules(skill))
    except (SkillError, OSError) as error:
        return (Finding("error", "unreadable", str(error)),)


def _event_rules(skill: Skill, where: str = f"{RULES_FILE}, ") -> Iterator[Finding]:
    """What `install` refuses in the rules a skill carries, but for the time that patterns may take."""
    data = skill.files.get(RULES_FILE)
    if data is None:
        return
    from sharpen.skills.rules import complaints, doubts  # few skills carry any

    wrong = complaints(data)
    yield from (Finding("error", "event-rule", where + told) for told in wrong)
    if not wrong:
        yield from (Finding("warning", "event-rule-tool", where + told) for told in doubts(data))


def _endless_rules(skill: Skill, where: str = f"{RULES_FILE}, ") -> Iterator[Finding]:
    """What a trial of their patterns says about rules without errors."""
    if RULES_FILE not in skill.files:
        return
    from sharpen.skills.rules import complaints, endless_ones, read_rules

    if not complaints(skill.files[RULES_FILE]):
        for _, told in endless_ones(read_rules(skill)):
            yield Finding("error", "event-rule-endless", where + told)


def _frontmatter(skill: Skill, folder_name: str | None) -> Iterator[Finding]:
    try:
        front = skill.frontmatter
    except SkillError as error:
        yield Finding("error", "unreadable", str(error), 1)
        return
    if front is None:
        level: Level = "warning" if folder_name is None else "error"
        message = "there is no frontmatter, so no client lists the skill; add name and description"
        yield Finding(level, "frontmatter-missing", message, 1)
        return
    lines = _field_lines(skill.text)
    for field, rule, message in violations(front, folder_name=folder_name):
        yield Finding("error", rule, message, lines.get(field, 1))
    if front.description and front.description.isascii() and not _WHEN.search(front.description):
        message = "the description does not say when to use the skill; add 'Use when …'"
        yield Finding("warning", "description-when", message, lines.get("description"))
    yield from _yaml_style(skill.text)


def _field_lines(text: str) -> dict[str, int]:
    """The line of each top-level field."""
    lines = enumerate((block_of(text) or "").splitlines(), 2)
    return {match[1]: number for number, line in lines if (match := _FIELD_LINE.match(line))}


def _yaml_style(text: str) -> Iterator[Finding]:
    if not is_plain_yaml(text):
        message = (
            "the frontmatter is only readable after repair, which strict clients do not do; quote the values"
        )
        yield Finding("error", "frontmatter-needs-repair", message, 1)
    for number, line in enumerate((block_of(text) or "").splitlines(), 2):
        if match := _BARE_VALUE.fullmatch(line):
            message = f"YAML does not read {match[1]!r} as a string, which metadata values must be; quote it"
            yield Finding("warning", "metadata-not-quoted", message, number)


def _size(skill: Skill) -> Iterator[Finding]:
    body = skill.body
    sizes = (
        ("body-lines", len(body.splitlines()), MAX_BODY_LINES, "lines"),
        ("body-tokens", tokens(body), MAX_BODY_TOKENS, "tokens (estimated)"),
        ("body-bytes", len(body.encode("utf-8", "surrogatepass")), MAX_BODY_BYTES, "bytes"),
    )
    for rule, size, limit, unit in sizes:
        if size > limit:
            message = (
                f"the body has {size} {unit}; clients may cut it at {limit}, move detail into references/"
            )
            yield Finding("warning", rule, message)


def _client_syntax(skill: Skill) -> Iterator[Finding]:
    for level, rule, pattern, effect in _CLIENT_SYNTAX:
        for match in pattern.finditer(skill.text, skill.body_start):
            shown = match[0].strip()[:40]
            yield Finding(level, rule, f"{shown!r} {effect}", _line_of(skill.text, match.start()))


def _characters(text: str) -> Iterator[Finding]:
    for match in _first_per_line(_BIDI_OR_CONTROL, text):
        message = f"the control or direction character U+{ord(match[0]):04X} can hide text; remove it"
        yield Finding("error", "control-character", message, _line_of(text, match.start()))
    for match in _first_per_line(_ZERO_WIDTH, text):
        message = f"the invisible character U+{ord(match[0]):04X} can hide text; remove it unless it is meant"
        yield Finding("warning", "zero-width-character", message, _line_of(text, match.start()))


def _characters_of_files(skill: Skill) -> Iterator[Finding]:
    """The same for the texts beside SKILL.md: the agent reads them, too. A file may begin with its mark."""
    for path, data in sorted(skill.files.items()):
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            continue
        for level, rule, message, line in _characters(text) if "\0" not in text else ():
            yield Finding(level, rule, f"{path}, line {line}: {message}")


def _first_per_line(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    at = 0
    while match := pattern.search(text, at):
        yield match
        newline = text.find("\n", match.start())
        at = len(text) if newline == -1 else newline + 1


def _missing_files(skill: Skill) -> Iterator[Finding]:
    for match in _FILE.finditer(skill.text, skill.body_start):
        path = match[1].rstrip("./-")  # the end of a sentence, or of a folder's name
        if not any(f"{name}/".startswith(f"{path}/") for name in skill.files):
            message = f"the skill's folder has no {path}; add the file or drop the reference"
            yield Finding("warning", "missing-file", message, _line_of(skill.text, match.start()))


def _markers(skill: Skill) -> Iterator[Finding]:
    """Markers must come in pairs: a region that is never closed locks the rest of the document."""
    text = skill.text
    opened: re.Match[str] | None = None
    for match in MARKER.finditer(text, skill.body_start):
        starts = match[0].endswith("_START -->")
        if starts and opened is None:
            opened = match
        elif opened is not None and match[0] == opened[0].replace("_START", "_END"):
            opened = None
        else:
            message = f"{match[0]} stands alone or inside another region; remove it"
            yield Finding("error", "unbalanced-marker", message, _line_of(text, match.start()))
    if opened is not None:
        message = f"{opened[0]} is never closed and protects everything after it; add its END marker"
        yield Finding("error", "unbalanced-marker", message, _line_of(text, opened.start()))


def _duplicates(skill: Skill) -> Iterator[Finding]:
    """Lines said twice, outside code fences, where repetition is normal."""
    seen: dict[str, int] = {}
    fenced = False
    for number, line in enumerate(skill.body.split("\n"), 1 + skill.text.count("\n", 0, skill.body_start)):
        said = line.strip()
        if said.startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and len(said) >= MIN_DUPLICATE and any(map(str.isalpha, said)):
            if said in seen:
                message = f"the line repeats line {seen[said]}; keep one of them"
                yield Finding("warning", "duplicate-line", message, number)
            seen.setdefault(said, number)


def _line_of(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
