"""A plugin folder for Claude Code and Codex: skills and event rules to share.

    DIR/.claude-plugin/plugin.json      Claude Code
    DIR/.codex-plugin/plugin.json       Codex
    DIR/skills/NAME/…                   the skills
    DIR/hooks/…, DIR/events.jsonl       hook commands and compiled rules, when a skill carries rules
    DIR/plugin.json                     Agent Plugins 1.0.0, when none does: that format has no hooks, and
                                        Codex looks for no others in a folder that has this file

The folder has no record: it is written whole into an empty place, and its user installs it as any plugin.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from sharpen.clients import CLAUDE_CODE, CODEX, Client
from sharpen.errors import SkillError, StoreError, UsageError
from sharpen.install import skill_folders
from sharpen.skills import Skill
from sharpen.skills.frontmatter import Frontmatter, violations
from sharpen.skills.rules import compiled, rules_of

SCHEMA = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
RULES = "events.jsonl"
HOOKS = {CLAUDE_CODE.name: "hooks/hooks.json", CODEX.name: "hooks/codex.json"}
ROOT = "${CLAUDE_PLUGIN_ROOT}"
"""Where the plugin lies when it runs; Codex sets the variable, too."""


def write_plugin(skills: Sequence[Skill], folder: Path) -> tuple[str, ...]:
    """Write the plugin; warnings about its skills. UsageError when the folder is not empty."""
    name = folder.resolve().name
    broken = [one.message for one in violations(Frontmatter(name=name, description="a plugin"))]
    if broken:
        raise UsageError(f"{folder}: the plugin is called like its folder, and {'; '.join(broken)}")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there already; name an empty folder, or remove it first")
    notes: list[str] = []
    files = _files(name, skills, notes)
    try:
        _write(files, folder.resolve())
    except OSError as error:
        raise StoreError(f"{folder} could not be written: {error}") from error
    return tuple(notes)


def _write(files: Mapping[str, bytes], folder: Path) -> None:
    """All of them, or none: they are written beside the folder, which then takes its name."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as beside:
        new = Path(beside) / folder.name
        for path, data in files.items():
            place = new / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
            if data.startswith(b"#!"):
                place.chmod(0o755)
        if folder.exists():
            folder.rmdir()
        new.rename(folder)


def _files(name: str, skills: Sequence[Skill], notes: list[str]) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for skill in skills:
        home = skill_folders.checked_name(skill, (CLAUDE_CODE, CODEX), notes)
        if f"skills/{home}/SKILL.md" in files:
            raise SkillError(f"two skills are called {home}; rename one")
        files |= {f"skills/{home}/{path}": data for path, data in skill_folders.contents(skill).items()}
    rules = rules_of(*skills)
    facts = {"name": name, "version": "1.0.0", "description": _description(skills)}
    files[".claude-plugin/plugin.json"] = _json(facts)
    codex: dict[str, object] = {**facts, "skills": "./skills/"}
    if rules:
        files[RULES] = compiled(rules).encode()
        files |= {HOOKS[client.name]: _json({"hooks": _events(client)}) for client in (CLAUDE_CODE, CODEX)}
        codex["hooks"] = f"./{HOOKS[CODEX.name]}"
        notes.append("no plugin.json of Agent Plugins was written: with it Codex would run none of the hooks")
    else:
        files["plugin.json"] = _json({"$schema": SCHEMA, **facts})
    files[".codex-plugin/plugin.json"] = _json(codex)
    return files


def _events(client: Client) -> dict[str, object]:
    hooks = client.hooks
    if hooks is None:
        raise AssertionError(client)
    command = f'sharpen hook {client.name} --rules "{ROOT}/{RULES}"'
    group = {"hooks": [{"type": "command", "command": command, "timeout": hooks.timeout}]}
    return {event: [group] for event in (*hooks.after, *hooks.compacted)}


def _description(skills: Sequence[Skill]) -> str:
    return f"Skills: {', '.join(sorted(str(skill.name) for skill in skills))}."


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
