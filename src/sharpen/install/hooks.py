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
from pathlib import Path

from sharpen.clients import CLIENTS, Client, Hooks
from sharpen.errors import UsageError
from sharpen.install.draft import Draft
from sharpen.install.record import EditedSettings
from sharpen.install.scope import RULES, SKILLS, Scope
from sharpen.install.settings import (
    Pieced,
    append_json,
    append_toml,
    decoded,
    starts_command,
    taken_out,
    without_command,
)
from sharpen.install.shims import copilot_file, opencode_plugin
from sharpen.skills import Skill
from sharpen.skills.folder import SKILL_FILE
from sharpen.skills.rules import FILE, EventRule, compiled, rules_of


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
    return tuple(rule for name in sorted(draft.record.skills) for rule in _rules(draft, name))


def _rules(draft: Draft, name: str) -> tuple[EventRule, ...]:
    text, events = draft.read(f"{SKILLS}/{name}/{SKILL_FILE}"), draft.read(f"{SKILLS}/{name}/{FILE}")
    if text is None or events is None:
        return ()
    return rules_of(Skill.from_text(text.decode(), files={FILE: events}))


def command_for(client: Client, scope: Scope) -> str:
    """The constant command: by name where PATH has it, else by the path of this installation."""
    found = shutil.which("sharpen")
    program = "sharpen" if found else shlex.quote(str(Path(sys.executable).with_name("sharpen")))
    return f"{program} hook {client.name}{' --user' if scope.name == 'user' else ''}"


def register(draft: Draft, client: Client) -> None:
    """Plan the hook in the client's settings; a note says what the client will ask, or why there is none."""
    hooks = client.hooks
    path = _path(hooks, draft.scope) if hooks else None
    if hooks is None or path is None:
        where = "only from the home folder: add --scope user" if hooks else "in no way that sharpen knows"
        draft.notes.append(f"{client.title} takes hooks {where}; it gets the skill without its event rules")
        return
    command = command_for(client, draft.scope)
    if hooks.format in ("file", "plugin"):
        text = copilot_file(hooks, command) if hooks.format == "file" else opencode_plugin(command)
        _refuse_other_file(draft, path)
        draft.write(path, text.encode())
        draft.record = draft.record.with_file(path, text.encode())
    else:
        _merge(draft, hooks, path, command)
    if any(change.path == path for change in draft.changes):
        draft.notes.append(f"{client.title} starts `{command}` after tool calls ({path}); {hooks.trust}")


def unregister(draft: Draft, client: Client) -> None:
    """Plan the removal of the hook, if it is there."""
    hooks = client.hooks
    path = _path(hooks, draft.scope) if hooks else None
    if hooks is None or path is None:
        return
    if path in draft.record.files:
        draft.remove_unless_changed(path, draft.record.files[path])
        draft.record = draft.record.with_file(path, None)
    elif path in draft.record.settings:
        before = _cleared(draft, hooks, path, command_for(client, draft.scope))
        draft.edit(path, before, None)


def _path(hooks: Hooks, scope: Scope) -> str | None:
    return hooks.user if scope.name == "user" else hooks.project


def _merge(draft: Draft, hooks: Hooks, path: str, command: str) -> None:
    known = draft.record.settings.get(path)
    text = _cleared(draft, hooks, path, command)
    created = known.created if known else draft.read(path) is None
    if hooks.format == "toml":
        pieced = append_toml(Pieced(text), _toml(hooks, command), path=path)
    else:
        pieced = _with_groups(Pieced(text), hooks, path, command)
    if pieced.pieces:
        draft.edit(path, pieced.text, EditedSettings(pieced.pieces, created))


def _with_groups(pieced: Pieced, hooks: Hooks, path: str, command: str) -> Pieced:
    for event in (*hooks.after, *hooks.compacted):
        if not starts_command(pieced.text, event, command, path=path, comments=hooks.comments):
            group = {"hooks": [_hook(hooks, command)]}
            pieced = append_json(pieced, ("hooks", event), group, path=path, comments=hooks.comments)
    return pieced


def _hook(hooks: Hooks, command: str) -> dict[str, object]:
    return {"type": "command", "command": command, "timeout": hooks.timeout}


def _toml(hooks: Hooks, command: str) -> str:
    """JSON's strings are TOML's basic strings."""
    rest = f"command = {json.dumps(command)}\ntimeout = {hooks.timeout}\n"
    events = (*hooks.after, *hooks.compacted)
    return "".join(f"[[hooks]]\nevent = {json.dumps(event)}\n{rest}" for event in events)


def _cleared(draft: Draft, hooks: Hooks, path: str, command: str) -> str:
    """The settings as they would be without us."""
    text = decoded(draft.read(path) or b"", path)
    known = draft.record.settings.get(path)
    if known is None:
        return text
    clean = taken_out(text, known.pieces)
    if clean is not None:
        return clean
    if hooks.format == "settings":
        return without_command(text, command, path=path, comments=hooks.comments)
    draft.notes.append(f"left alone: {path} was written anew since; remove the hook of sharpen by hand")
    return text


def _refuse_other_file(draft: Draft, path: str) -> None:
    if path not in draft.record.files and draft.read(path) is not None:
        raise UsageError(f"{draft.scope.at(path)} is there already and was not written by sharpen; rename it")
