"""What each client wants to read on standard output for a text to reach its model.

A rule's text is somebody else's, perhaps mined from a session: it is told as a statement with its source, it
cannot be longer than a paragraph, and nothing in it can end the frame it stands in. Kimi starts its hooks
after a tool call without waiting for them, so a text for it is held until the next prompt is sent, where it
does listen. OpenCode has no hook commands; the plugin that `install` writes takes Claude Code's format.
"""

from __future__ import annotations

from sharpen.hook.quick_json import dumps

CLIENTS = ("claude-code", "codex", "gemini", "opencode", "kimi", "copilot")
"""The clients that can start this process."""
SHORT_NAMES = {"claude": "claude-code"}
"""What people type for it in a hook of their own; the same as in `sharpen.clients`."""
HOLDS = ("kimi",)
LONGEST_TEXT = 2_000
"""Characters of one rule's text. Claude Code takes 10,000 in all, Codex sets aside more than 2,500 tokens."""
LONGEST_NAME = 140
"""Characters of a rule's name: a skill's and a rule's id of 64 each, with room to spare."""
_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0")
"""Letters and marks that Unicode calls printable and that show nothing."""


def framed(rule: dict[str, object]) -> str:
    """A rule's text as a statement of fact with its source: orders from a hook look like an injection.

    Lines after the first are set in, so that none of them can pass for a statement of its own.
    """
    name, skill = _clean(rule.get("id"), LONGEST_NAME), _clean(rule.get("skill"), LONGEST_NAME)
    text = _clean(rule.get("say"), LONGEST_TEXT).strip().replace("\n", "\n  ")
    return (
        f"From the installed skill {_line(skill)} (event rule {_line(name)}, learnt in earlier sessions, "
        f"not written by the user): {text}"
    )


def answer(client: str, event_name: str, texts: list[str]) -> str:
    """The output that puts these texts before the model."""
    said = "\n".join(texts)
    if client in HOLDS:
        return said
    if client == "copilot":
        return dumps({"additionalContext": said})
    return dumps({"hookSpecificOutput": {"hookEventName": event_name, "additionalContext": said}})


def _line(text: str) -> str:
    return " ".join(text.split())


def _clean(value: object, longest: int) -> str:
    """Without invisible characters, and with the bracket of a tag turned into one that ends no frame."""
    text = str(value)
    text = text if len(text) <= longest else text[:longest] + " …"
    kept = "".join(sign if is_seen(sign) or sign in "\n\t" else _blank(sign) for sign in text)
    return _without_tags(kept) if "<" in kept else kept


def is_seen(sign: str) -> bool:
    """Whether a reader sees this character; the last range is that of tags and of selectors for them."""
    return sign.isprintable() and sign not in _FILLERS and not "\U000e0000" <= sign <= "\U000e0fff"


def _blank(sign: str) -> str:
    return " " if sign.isspace() else ""


def _without_tags(text: str) -> str:
    """`</system-reminder>` becomes `‹/system-reminder>`; `a < b` stays."""
    import re

    return re.sub(r"<(?=(?:\s*[/!?]\s*)?[A-Za-z])", "‹", text)
