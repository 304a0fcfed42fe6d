"""A file of event rules without a skill around it: what it says, as a skill of its own.

Clients with hooks hear the rules at the moment of the failure; the others find the same facts in an ordinary
SKILL.md, whose description says when to look.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sharpen.errors import UsageError
from sharpen.skills import Skill
from sharpen.skills.folder import SKILL_FILE
from sharpen.skills.frontmatter import MAX_DESCRIPTION, Frontmatter, violations
from sharpen.skills.rules import FILE, EventRule, read_rules


def skill_of_rules(path: Path) -> Skill:
    """The rules of `NAME.json` as the skill NAME; UsageError when that is no name for a skill.

    Its patterns are tried out when it is installed, with those of all others.
    """
    if path.name == FILE and (path.parent / SKILL_FILE).is_file():
        raise UsageError(f"{path} belongs to a skill; install the folder {path.parent}")
    name = path.stem
    broken = [one.message for one in violations(Frontmatter(name=name, description="Rules."))]
    if broken:
        raise UsageError(
            f"{path}: the skill is called like its file, and {'; '.join(broken)}; rename the file"
        )
    try:
        files = {FILE: path.read_bytes()}
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    front = Frontmatter(name=name, description="Rules.")
    rules = read_rules(Skill.from_text("# Rules\n", files=files).with_frontmatter(front))
    if not rules:
        raise UsageError(f"{path} has no rules")
    body = f"# {name}\n\n" + "\n".join(_section(rule) for rule in rules)
    described = Frontmatter(name=name, description=_description(rules))
    return Skill.from_text(body, files=files).with_frontmatter(described)


def _description(rules: tuple[EventRule, ...]) -> str:
    """What triggers the rules, as far as there is room; no angle brackets, which some clients refuse."""
    told = "; ".join(" and ".join(_conditions(rule)) for rule in rules)
    plain = " ".join(told.replace("<", " ").replace(">", " ").split())
    text = f"What is known about these moments. Use when {plain}"
    return text if len(text) <= MAX_DESCRIPTION else text[: MAX_DESCRIPTION - 1] + "…"


def _section(rule: EventRule) -> str:
    return f"## {rule.id}\n\nWhen {' and '.join(_conditions(rule))}:\n\n{rule.say.strip()}\n"


def _conditions(rule: EventRule) -> Iterator[str]:
    conditions = rule.conditions
    if rule.tool != "any":
        yield f"the tool is {rule.tool}"
    for name, told in (("command", "the command has"), ("output", "the output has")):
        if name in conditions:
            yield f"{told} `{conditions[name]}`"
    for name, told in (("path", "the file is"), ("language", "the language is")):
        if name in conditions:
            yield f"{told} {' or '.join(conditions[name])}"
    if "exit" in conditions:
        ended = conditions["exit"]
        yield {"failed": "it failed", "ok": "it went well"}.get(str(ended), f"the exit code is in {ended}")
