"""Which rules apply to an event. Rules come from a file with one JSON array per line: tool, literal, rule.

The literal is a text without which the rule cannot apply; it was found when the rule was installed. So most
lines are passed over by two string comparisons and never parsed, and a pattern is compiled only when its
literal is there. A rule's keys are those of `sharpen.skills.rules`, which checks and writes them.
"""

from __future__ import annotations

from sharpen.hook.event import Event
from sharpen.hook.quick_json import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ANY = "any"
EXTENSIONS = {
    "c": "c", "cc": "c++", "cpp": "c++", "cs": "c#", "css": "css", "go": "go", "h": "c", "hpp": "c++",
    "html": "html", "java": "java", "js": "javascript", "jsx": "javascript", "kt": "kotlin",
    "mjs": "javascript", "php": "php", "py": "python", "pyi": "python", "rb": "ruby", "rs": "rust",
    "sh": "shell", "sql": "sql", "swift": "swift", "toml": "toml", "ts": "typescript", "tsx": "typescript",
    "yaml": "yaml", "yml": "yaml",
}  # fmt: skip
PROGRAMS = {
    "bundle": "ruby", "cargo": "rust", "deno": "typescript", "dotnet": "c#", "gem": "ruby", "go": "go",
    "gradle": "java", "javac": "java", "mvn": "java", "mypy": "python", "node": "javascript",
    "npm": "javascript", "npx": "javascript", "php": "php", "pip": "python", "pip3": "python",
    "pnpm": "javascript", "pytest": "python", "python": "python", "python3": "python", "ruby": "ruby",
    "ruff": "python", "rustc": "rust", "swift": "swift", "tsc": "typescript", "uv": "python",
    "yarn": "javascript",
}  # fmt: skip
"""What a file's ending or a program's name says about the language."""

Rule = dict[str, object]


def rules_for(event: Event, lines: list[str]) -> Iterator[Rule]:
    """The rules whose tool and literal fit, parsed; their patterns are not tried yet."""
    seen = f"{event.command}\n{event.output}\n" + "\n".join(event.paths)
    tools = (ANY, event.tool, event.tool_name)
    for line in lines:
        parts = line.split('"', 4)  # [" tool ", " literal ", {rule}]
        if len(parts) == 5 and parts[1] in tools and parts[3] in seen:
            row = loads(line)
            if isinstance(row, list) and len(row) == 3 and isinstance(row[2], dict):
                yield row[2]


def applies(rule: Rule, event: Event, exit_code: Callable[[Event], int | None]) -> bool:
    """Whether every condition of the rule holds. `exit_code` is asked only when a rule wants to know."""
    return (
        _any_of(rule.get("language"), languages(event))
        and _path(rule.get("path"), event)
        and _pattern(rule.get("command"), event.command)
        and _pattern(rule.get("output"), event.output)
        and not _forbidden(rule.get("not"), event)
        and _ended(rule.get("exit"), event, exit_code)
    )


def languages(event: Event) -> set[str]:
    """The languages that paths, words of the command and programs in it speak of."""
    words = event.command.split()
    names = [word.rsplit("/", 1)[-1] for word in (*event.paths, *words)]
    found = {EXTENSIONS.get(name.rsplit(".", 1)[-1].strip("'\"")) for name in names if "." in name}
    found |= {PROGRAMS.get(name) for name in names}
    return {language for language in found if language}


def _any_of(wanted: object, there: set[str]) -> bool:
    return not isinstance(wanted, list) or any(name in there for name in wanted)


def _path(patterns: object, event: Event) -> bool:
    if not isinstance(patterns, list):
        return True
    from fnmatch import fnmatchcase

    return any(
        fnmatchcase(path, str(p)) or fnmatchcase(path, f"*/{p}") for path in event.paths for p in patterns
    )


def _pattern(pattern: object, text: str) -> bool:
    if not isinstance(pattern, str):
        return True
    import re

    return re.search(pattern, text, re.MULTILINE) is not None


def _forbidden(patterns: object, event: Event) -> bool:
    if not isinstance(patterns, dict):
        return False
    texts = {"command": event.command, "output": event.output, "path": "\n".join(event.paths)}
    return any(_pattern(pattern, texts.get(name, "")) for name, pattern in patterns.items())


def _ended(wanted: object, event: Event, exit_code: Callable[[Event], int | None]) -> bool:
    """`failed` and `ok` are about success in general; a list names exit codes."""
    if wanted is None:
        return True
    code = event.exit_code if event.exit_code is not None else exit_code(event)
    if isinstance(wanted, list):
        return code in wanted
    failed = event.failed or bool(code)
    known = failed or code is not None or event.tool != "shell"
    return known and failed == (wanted == "failed")
