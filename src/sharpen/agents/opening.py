"""A student from its name.

    openai:gpt-5-mini, local:smollm2 …   a chat with that model, the skill as its system prompt
    tools:openai:gpt-5-mini              the same model with a shell, Python and files in the sandbox
    codex:gpt-5, claude-code:sonnet …    a coding agent, run as its users run it

Options are the fields of the settings records of whatever the name stands for, typed or as text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from difflib import get_close_matches
from typing import Any, TypeVar

from sharpen.agents.chat import ChatSettings, ChatStudent
from sharpen.agents.coding import CODING_AGENTS, AgentSettings, open_agent
from sharpen.agents.tools import ToolSettings, ToolStudent
from sharpen.errors import SettingsError
from sharpen.models import PROVIDERS, ModelSettings, open_model
from sharpen.tasks.scorers import scorer_named
from sharpen.tasks.scoring import Scorer
from sharpen.types import Student

STUDENTS = ("chat", "tools", *CODING_AGENTS, *PROVIDERS)
"""What a name may begin with."""

Settings = TypeVar("Settings", ChatSettings, ToolSettings, AgentSettings, ModelSettings)


def open_student(name: str, scorer: Scorer | str, options: Mapping[str, object] | None = None) -> Student:
    """The student of that name, judged by `scorer`."""
    judge = scorer_named(scorer) if isinstance(scorer, str) else scorer
    given = dict(options or {})
    kind, _, rest = name.partition(":")
    if kind in CODING_AGENTS:
        settings = _taken(AgentSettings, given)
        _refuse(given, AgentSettings)
        return open_agent(name, scorer=judge, settings=settings)
    if kind == "tools":
        tools = _taken(ToolSettings, given)
        return ToolStudent(_model(rest, given, ToolSettings), judge, tools)
    chat = _taken(ChatSettings, given)
    return ChatStudent(_model(rest if kind == "chat" else name, given, ChatSettings), judge, chat)


def _model(name: str, given: dict[str, object], own: type) -> Any:
    settings = _taken(ModelSettings, {"role": "student", **given} if "role" not in given else given)
    for field in fields(ModelSettings):
        given.pop(field.name, None)
    _refuse(given, own, ModelSettings)
    return open_model(name, settings)


def _taken(kind: type[Settings], given: dict[str, object]) -> Settings:
    """A settings record from the options that are its fields; those are taken out of `given`."""
    mine = {field.name for field in fields(kind)} & given.keys()
    try:
        return kind(**{name: _typed(given.pop(name)) for name in mine})
    except TypeError as error:
        raise SettingsError(f"the options {', '.join(sorted(mine))} do not fit: {error}") from None


def _typed(value: object) -> Any:
    """Text from a command line as JSON spells it, else as it is: 64, 0.2, true, ["\\n"], http://…"""
    if not isinstance(value, str):
        return value
    try:
        found = json.loads(value)
    except ValueError:
        return value
    return tuple(found) if isinstance(found, list) else found


def _refuse(left: Mapping[str, object], *kinds: type) -> None:
    """An option that nobody took is a mistake; the nearest known one is named."""
    known = sorted({field.name for kind in kinds for field in fields(kind)})
    for name in left:
        near = get_close_matches(name, known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(known)}"
        raise SettingsError(f"no option is called {name!r}{hint}")
