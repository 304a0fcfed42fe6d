"""Event rules in place: the compiled rules file, and one constant hook command in each client's settings.

Rules change, the command never does: clients that ask the user to trust a hook ask once. A command in a
project's settings reads that project's rules, one in the home's settings those of the home. What the client
asks of the user before it runs a hook is its own business; it is told, and nothing is done about it.
"""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sharpen.clients import CLIENTS, Client, Hooks
from sharpen.errors import UsageError
from sharpen.install.draft import Draft
from sharpen.install.record import EditedSettings
from sharpen.install.scope import RULES, SKILLS, Scope
from sharpen.install.settings import (
    Pieced,
    Syntax,
    append_json,
    append_toml,
    cleared,
    has_table,
    starts_command,
    without_command,
    without_empty,
    without_tables,
)
from sharpen.install.shims import copilot_file, opencode_plugin
from sharpen.install.toml_tables import OurTable
from sharpen.skills import Skill
from sharpen.skills.folder import SKILL_FILE
from sharpen.skills.rules import FILE, EventRule, compiled, rules_of

TABLES = ("hooks",)
"""Where a TOML configuration keeps its hooks."""


def place(draft: Draft) -> None:
    """Plan rules and hooks from the skills that the record will have; without rules there are no hooks."""
    rules = installed_rules(draft)
    if rules:
        draft.write(RULES, compiled(rules).encode())
        draft.record = draft.record.with_file(RULES, compiled(rules).encode())
    elif RULES in draft.record.files:
        draft.remove(RULES)
        draft.record = draft.record.with_file(RULES, None)
    speaking = {rule.skill for rule in rules}
    wanted = {name for skill in speaking for name in draft.record.skills[skill].clients}
    for client in CLIENTS.values():
        if client.name in wanted:
            register(draft, client)
        else:
            unregister(draft, client)


def installed_rules(draft: Draft) -> tuple[EventRule, ...]:
    """The rules of every skill in the record, as their folders will be."""
    return rules_of(*(skill for name in sorted(draft.record.skills) for skill in _with_rules(draft, name)))


def _with_rules(draft: Draft, name: str) -> Iterator[Skill]:
    text, events = draft.read(f"{SKILLS}/{name}/{SKILL_FILE}"), draft.read(f"{SKILLS}/{name}/{FILE}")
    if text is not None and events is not None:
        yield Skill.from_text(text.decode(), files={FILE: events})


def command_for(client: Client, scope: Scope) -> str:
    """The constant command: by name where PATH has it, else by the path of this installation."""
    found = shutil.which("sharpen")
    program = "sharpen" if found else shlex.quote(str(Path(sys.executable).with_name("sharpen")))
    return f"{program} hook {client.name}{' --user' if scope.name == 'user' else ''}"


def register(draft: Draft, client: Client) -> None:
    """Plan the hook in the client's settings; a note says what the client will ask, or why there is none."""
    hooks = client.hooks
    path = _path(client, draft.scope)
    if hooks is None or path is None:
        where = "only from the home folder: add --scope user" if hooks else "in no way that sharpen knows"
        draft.notes.append(f"{client.title} takes hooks {where}; it gets the skill without its event rules")
        return
    if draft.record.hooks.get(client.name, path) != path:
        unregister(draft, client)  # a variable such as CODEX_HOME points elsewhere by now
    command = command_for(client, draft.scope)
    if hooks.format in ("file", "plugin"):
        text = copilot_file(hooks, command) if hooks.format == "file" else opencode_plugin(command)
        _refuse_other_file(draft, path)
        draft.write(path, text.encode())
        draft.record = draft.record.with_file(path, text.encode())
    else:
        _merge(draft, hooks, path, command)
    draft.record = draft.record.with_hook(client.name, path)
    if any(change.path == path for change in draft.changes):
        where = draft.scope.shown(path)
        draft.notes.append(f"{client.title} starts `{command}` after tool calls ({where}); {hooks.trust}")


def unregister(draft: Draft, client: Client) -> None:
    """Plan the removal of the hook from wherever it is, if there is one."""
    path = draft.record.hooks.get(client.name)
    if path is None or client.hooks is None:
        return
    if path in draft.record.files:
        draft.remove_unless_changed(path, draft.record.files[path])
        draft.record = draft.record.with_file(path, None)
    elif known := draft.record.settings.get(path):
        text, syntax = _cleared(draft, client.hooks, path), _syntax(draft, client.hooks, path)
        if any(_started(text, event, known.command, syntax) for event in known.events):
            where = draft.scope.shown(path)
            draft.notes.append(f"left alone: {where} still starts `{known.command}`; take it out by hand")
        draft.edit(path, text, None)
    draft.record = draft.record.with_hook(client.name, None)


def _path(client: Client, scope: Scope) -> str | None:
    if client.hooks is None or scope.name == "project":
        return client.hooks.project if client.hooks else None
    return scope.in_home(client, client.hooks.user)


def _syntax(draft: Draft, hooks: Hooks, path: str) -> Syntax:
    return Syntax(str(draft.scope.at(path)), toml=hooks.format == "toml", comments=hooks.comments)


def _merge(draft: Draft, hooks: Hooks, path: str, command: str) -> None:
    known, syntax, events = draft.record.settings.get(path), _syntax(draft, hooks, path), _events(hooks)
    text = draft.text(path)
    if known and known.command == command and all(_started(text, event, command, syntax) for event in events):
        return  # wherever they have been moved to
    created = known.created if known else not draft.exists(path)
    pieced = Pieced(_cleared(draft, hooks, path))
    events = tuple(event for event in events if not _started(pieced.text, event, command, syntax))
    if hooks.format == "toml":
        pieced = append_toml(pieced, _toml(events, hooks, command), syntax) if events else pieced
    else:
        for event in events:
            pieced = append_json(pieced, ("hooks", event), {"hooks": [_hook(hooks, command)]}, syntax)
    ours = EditedSettings(pieced.pieces, created, pieced.made, command, events)
    draft.edit(path, pieced.text, ours if events else None)


def _events(hooks: Hooks) -> tuple[str, ...]:
    return (*hooks.after, *hooks.compacted)


def _started(text: str, event: str, command: str, syntax: Syntax) -> bool:
    if not syntax.toml:
        return starts_command(text, event, command, syntax)
    return has_table(text, TABLES, _ours(command, (event,)), syntax)


def _ours(command: str, events: Sequence[str]) -> OurTable:
    def event_of(row: Mapping[str, Any]) -> str | None:
        event = row.get("event")
        return event if row.get("command") == command and event in events else None

    return event_of


def _hook(hooks: Hooks, command: str) -> dict[str, object]:
    return {"type": "command", "command": command, "timeout": hooks.timeout}


def _toml(events: Sequence[str], hooks: Hooks, command: str) -> str:
    """JSON's strings are TOML's basic strings."""
    rest = f"command = {json.dumps(command)}\ntimeout = {hooks.timeout}\n"
    return "".join(f"[[hooks]]\nevent = {json.dumps(event)}\n{rest}" for event in events)


def _cleared(draft: Draft, hooks: Hooks, path: str) -> str:
    """The settings as they would be without us."""
    known, syntax, text = draft.record.settings.get(path), _syntax(draft, hooks, path), draft.text(path)
    if known is None:
        return text

    def by_meaning(given: str) -> str:
        if syntax.toml:
            return without_tables(given, TABLES, _ours(known.command, known.events), syntax)
        return without_empty(without_command(given, known.command, known.events, syntax), known.made, syntax)

    return cleared(text, known.pieces, by_meaning, syntax)


def _refuse_other_file(draft: Draft, path: str) -> None:
    if path not in draft.record.files and draft.read(path) is not None:
        raise UsageError(f"{draft.scope.at(path)} is there already and was not written by sharpen; rename it")
