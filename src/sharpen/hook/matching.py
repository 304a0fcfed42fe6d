"""Which rules apply to an event. Rules come from a file with one JSON array per line: tool, needles, rule.

The needles, divided by bars, are texts of which the event must contain one, upper and lower case aside; they
were found when the rule was installed. So most lines are passed over by two string comparisons and never
parsed, and a pattern is compiled only when its needle is there. A rule's keys are those of
`sharpen.skills.rules`, which checks and writes them; a rule with a key that is not known here does not apply,
for a condition that cannot be checked does not hold.
"""

from __future__ import annotations

from sharpen.hook.event import Event
from sharpen.hook.quick_json import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ANY = "any"
KEYS = frozenset(("id", "skill", "command", "output", "path", "language", "exit", "not", "say", "cooldown"))
NEGATED = frozenset(("command", "output", "path"))

Rule = dict[str, object]


class UnknownRuleError(ValueError):
    """A line that this version cannot read as a rule; `msg` says why, as that of `re.error` does."""

    def __init__(self, msg: str) -> None:
        super().__init__(msg)
        self.msg = msg


def fitting(event: Event, lines: list[str], complain: Callable[[str, Exception], None]) -> list[Rule]:
    """The rules that apply. A line that is no rule, or a rule that fails, is complained of and left out."""
    found = []
    for line in likely(event, lines):
        name = ""
        try:
            rule = _parsed(line)
            name = str(rule["id"])
            _refuse_unknown(rule)
            if applies(rule, event):
                found.append(rule)
        except Exception as error:  # noqa: BLE001  # one broken rule must not silence the good ones
            complain(name, error)
    return found


def likely(event: Event, lines: list[str]) -> Iterator[str]:
    """The lines whose tool fits and of whose needles one is in the event."""
    seen = f"{event.command}\n{event.output}\n{chr(10).join(event.paths)}".casefold()
    threes = set(
        map("".join, zip(seen, seen[1:], seen[2:], strict=False))
    )  # asked first: a search takes longer
    tools = (ANY, event.tool, event.tool_name)
    for line in lines:
        parts = line.split('"', 4)  # [" tool ", " needles ", {rule}]
        if len(parts) == 5 and parts[1] in tools:
            for needle in parts[3].casefold().split("|"):
                if (len(needle) < 3 or needle[-3:] in threes) and needle in seen:
                    yield line
                    break


def _parsed(line: str) -> Rule:
    row = loads(line)
    rule = row[2] if isinstance(row, list) and len(row) == 3 else None
    if not isinstance(rule, dict) or "id" not in rule or "say" not in rule:
        raise UnknownRuleError("not a rule")
    return rule


def _refuse_unknown(rule: Rule) -> None:
    negated = rule.get("not", {})
    strange = {*rule} - KEYS | ({*negated} - NEGATED if isinstance(negated, dict) else {"not"})
    if strange:
        raise UnknownRuleError(f"unknown conditions: {', '.join(sorted(map(str, strange)))}")


def applies(rule: Rule, event: Event) -> bool:
    """Whether every condition of the rule holds."""
    return (
        _any_of(rule.get("language"), event)
        and _on_path(rule.get("path"), event)
        and _pattern(rule.get("command"), event.command)
        and _pattern(rule.get("output"), event.output)
        and not _negated(rule.get("not"), event)
        and _ended(rule.get("exit"), event)
    )


def _any_of(wanted: object, event: Event) -> bool:
    if wanted is None:
        return True
    from sharpen.hook.languages import languages

    there = languages(event)
    return any(name in there for name in _listed(wanted))


def _on_path(globs: object, event: Event) -> bool:
    if globs is None:
        return True
    from sharpen.hook.globs import glob_matches

    return any(glob_matches(str(glob), path) for path in event.paths for glob in _listed(globs))


def _pattern(pattern: object, text: str) -> bool:
    """A search in lines: ^ and $ stand for the ends of each."""
    if pattern is None:
        return True
    import re

    return re.search(str(pattern), text, re.MULTILINE) is not None


def _negated(patterns: object, event: Event) -> bool:
    if not isinstance(patterns, dict):
        return False
    texts = (("command", event.command), ("output", event.output))
    if any(name in patterns and _pattern(patterns[name], text) for name, text in texts):
        return True
    return "path" in patterns and _on_path(patterns["path"], event)


def _ended(wanted: object, event: Event) -> bool:
    """`failed` and `ok` are about success in general; a list names exit codes."""
    if wanted is None:
        return True
    if event.exit_code is None and event.client == "codex":
        from sharpen.hook.rollout import complete

        complete(event)
    if isinstance(wanted, list):
        return event.exit_code in wanted
    return event.failed is not None and event.failed == (wanted == "failed")


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]
