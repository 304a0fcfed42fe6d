"""The verbs install, uninstall and hook, as they are typed."""

from __future__ import annotations

import json
import shutil

import pytest

SKILL = '---\nname: "house-rules"\ndescription: "Use when files are signed."\n---\n\n# House\n\nSign files.\n'
RULES = {"rules": [{"id": "boom", "tool": "shell", "output": "boom", "say": "Sign the file."}]}


@pytest.fixture
def library(here, monkeypatch):
    """A skill with a rule in a folder, a home and a state folder of their own, and no client on PATH."""
    folder = here / "library" / "house-rules"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL)
    (folder / "events.json").write_text(json.dumps(RULES))
    for name in ("HOME", "SHARPEN_STATE"):
        monkeypatch.setenv(name, str(here / name.lower()))
    (here / "home").mkdir()
    monkeypatch.setenv("PATH", str(here / "bin"))
    (here / "bin").mkdir()
    return folder


def test_in_and_out_again(program, library, here):
    done = program("install", library, "--to", "claude,codex")
    assert "link  .claude/skills/house-rules" in done.stdout.splitlines()
    assert "Codex asks once for each hook" in done.stderr
    assert program("install", library, "--to", "claude,codex").stderr.strip() == "nothing to do"
    assert "remove  .claude/skills/house-rules" in program("uninstall").stdout.splitlines()
    assert {path.name for path in here.iterdir()} == {"library", "home", "bin", "sharpen_state"}
    assert [path.name for path in (here / "sharpen_state").iterdir()] == ["install.lock"]


def test_a_dry_run_and_json(program, library, here):
    done = json.loads(program("install", library, "--to", "claude", "--dry-run", "--json").stdout)
    assert done["dry_run"] is True
    link = next(one for one in done["changes"] if one["action"] == "link")
    assert link["path"] == ".claude/skills/house-rules"
    assert link["diff"].endswith("-> ../../.agents/skills/house-rules\n")
    assert not (here / ".agents").exists()


def test_a_dry_run_shows_lines(program, library, here):
    (here / ".claude").mkdir()
    (here / ".claude/settings.json").write_text('{\n  "model": "m"\n}\n')
    shown = program("install", library, "--to", "claude", "--dry-run").stdout
    assert "would edit  .claude/settings.json\n" in shown
    assert '\n+  "model": "m",\n+  "hooks": {\n' in shown


def test_out_again_from_below_and_from_afar_and_without_the_source(program, library, here, monkeypatch):
    program("install", library, "--to", "claude")
    shutil.rmtree(library)
    (here / "deep/down").mkdir(parents=True)
    monkeypatch.chdir(here / "deep/down")
    assert "remove  .claude/skills/house-rules" in program("uninstall", "--dry-run").stdout.replace(
        "would ", ""
    )
    monkeypatch.chdir(here / "home")
    assert program("uninstall", "--scope", "user").stderr.strip() == "nothing to do"
    program("uninstall", "--project", here)
    assert not (here / ".agents").exists()


def test_a_folder_of_skills_a_pattern_and_a_file_of_rules(program, library, here):
    other = library.parent / "other"
    other.mkdir()
    (other / "SKILL.md").write_text(SKILL.replace("house-rules", "other"))
    for typed in (library.parent, f"{library.parent}/*", f"{library.parent}/o*", other / "SKILL.md"):
        program("install", typed, "--to", "codex")
        assert (here / ".agents/skills/other/SKILL.md").is_file()
        program("uninstall")
    rules = here / "boom-rules.json"
    rules.write_text(json.dumps(RULES))
    program("install", rules, "--to", "codex,cursor")
    text = (here / ".agents/skills/boom-rules/SKILL.md").read_text()
    assert "Use when the tool is shell and the output has `boom`" in text
    assert "Sign the file." in text
    assert "boom-rules/boom" in (here / ".agents/sharpen/events.jsonl").read_text()


def test_the_home_is_another_scope(program, library, here):
    program("install", library, "--to", "codex", "--scope", "user")
    assert (here / "home/.agents/skills/house-rules/SKILL.md").is_file()
    assert not (here / ".agents").exists()


def test_clients_are_found_on_the_path(program, library, here):
    done = program("install", library)
    assert done.exit_code == 2
    assert "no coding agent was found on PATH" in done.stderr
    (here / "bin/gemini").write_text("#!/bin/sh\n")
    (here / "bin/gemini").chmod(0o755)
    program("install", library)
    assert (here / ".gemini/settings.json").is_file()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--to", "clippy"], "unknown: clippy"),
        (["--to", "codx"], "unknown: codx (did you mean codex?)"),
        (["--to", "gemini", "--project", "nowhere"], "is not a folder"),
        (["--to", ","], "no client is named"),
        (["--to", "gemini", "--profile", "x"], "--profile is about Codex"),
        (["--to", "gemini", "--plugin", "p"], "installs nothing"),
    ],
)
def test_what_cannot_be_meant_is_refused(program, library, arguments, complaint):
    done = program("install", library, *arguments)
    assert done.exit_code == 2
    assert complaint in done.stderr


def test_paths_that_cannot_be_meant(program, library, here):
    library.rename(library.with_name("another"))
    for typed, complaint in (
        (here / "library/another", "the skill is called house-rules and its folder another"),
        (here / "library/another/events.json", "belongs to a skill"),
        (here / "nothing", "does not exist"),
        (f"{here}/no*", "nothing matches"),
        (here / "bin", "holds no SKILL.md"),
    ):
        done = program("install", typed, "--to", "codex")
        assert done.exit_code == 2
        assert complaint in done.stderr
    assert not (here / ".agents").exists()


def test_a_plugin_folder(program, library, here):
    program("install", library, "--plugin", here / "house-plugin")
    assert (here / "house-plugin/.claude-plugin/plugin.json").is_file()


def test_the_log_says_what_spoke_and_what_came_back(program, library, here):
    assert "no rule has spoken yet" in program("hook", "log").stderr
    folder = here / "sharpen_state" / "hooks"
    folder.mkdir(parents=True)
    row = {
        "rule": "s/boom",
        "skill": "s",
        "client": "codex",
        "session": "1",
        "call": "c",
        "cwd": str(here),
        "tool": "shell",
    }
    lines = [{"at": 100, "what": "fired", **row}, {"at": 200, "what": "again", **row}]
    lines.append({"at": 300, "what": "fired", **row, "session": "2", "cwd": "/elsewhere"})
    (folder / "firings.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines) + "broken\n")
    wrong = {"at": 250, "client": "codex", "rule": "s/other", "error": "error: missing )", "place": ""}
    (folder / "errors.jsonl").write_text(json.dumps(wrong) + "\n")
    done = program("hook", "log")
    assert "1970-01-01 00:05" in done.stdout
    assert "1 lines of the record could not be read" in done.stderr
    assert "the rule s/other failed and stayed silent, 1 times: error: missing )" in done.stderr
    (rule,) = json.loads(program("hook", "log", "--json").stdout)
    assert rule == {
        "rule": "s/boom", "fired": 2, "sessions": 2, "recurred": 1, "same_command": 0,
        "clients": ["codex"], "last": 300,
    }  # fmt: skip
    (rule,) = json.loads(program("hook", "log", "--project", here, "--json").stdout)
    assert rule["fired"] == 1
    each = json.loads(program("hook", "log", "--each", "--json").stdout)
    assert [(one["session"], one["recurred"]) for one in each] == [("1", 1), ("2", 0)]
    (late,) = json.loads(program("hook", "log", "--each", "--json", "--since", "1970-01-01T00:04:00Z").stdout)
    assert late["session"] == "2"
    assert json.loads(program("hook", "log", "--json", "--rule", "boom").stdout)
    assert json.loads(program("hook", "log", "--json", "--rule", "bo").stdout) == []


def test_the_log_fits_a_narrow_terminal(program, library, here, monkeypatch):
    folder = here / "sharpen_state" / "hooks"
    folder.mkdir(parents=True)
    row = {"what": "fired", "rule": "house-rules/missing-module", "skill": "house-rules", "client": "codex"}
    row |= {"session": "019a3c5e-7f00-7d22-8d6f-0123456789ab", "cwd": "/w", "tool": "shell"}
    (folder / "firings.jsonl").write_text(json.dumps({"at": 100, **row}) + "\n")
    head, line = program("hook", "log", "--each").stdout.splitlines()
    assert head.split() == ["at", "rule", "client", "session", "cwd", "tool", "recurred", "same"]
    assert " 019a3c5e " in line
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("FORCE_COLOR", "1")
    for wish in ([], ["--each"]):
        assert len(program("hook", "log", *wish).stdout.splitlines()) == 2


def test_a_skills_file_stands_for_its_folder(program, library, here):
    program("install", library, "--to", "claude")
    done = program("install", library / "SKILL.md", "--to", "claude")
    assert done.stderr.strip() == "nothing to do"
    assert (here / ".agents/skills/house-rules/events.json").is_file()


def test_the_home_is_no_project(program, library, here, monkeypatch):
    monkeypatch.chdir(here / "home")
    for verb in (("install", library, "--to", "claude"), ("uninstall",)):
        done = program(*verb)
        assert done.exit_code == 2
        assert "add --scope user" in done.stderr
    assert list((here / "home").iterdir()) == []


def test_a_runs_best_skill_gets_a_name(program, library, here, finished):
    done = program("install", finished, "--to", "claude")
    assert done.exit_code == 2
    assert "give one with --name" in done.stderr
    assert "with --description" in done.stderr
    said = ("--name", "pdf-forms", "--description", "Fills in forms. Use when a PDF has fields.")
    assert program("install", finished, "--to", "claude", *said).exit_code == 0
    text = (here / ".claude/skills/pdf-forms/SKILL.md").read_text()
    assert text.startswith('---\nname: "pdf-forms"\n')
    assert text.endswith((finished / "best_skill.md").read_text().lstrip())
    assert program("install", finished / "best_skill.md", "--to", "claude", *said).exit_code == 0
    assert program("install", library, "--name", "other", "--to", "claude").exit_code == 0
    assert "--name and --description are for one skill" in program("install", finished, library, *said).stderr


def test_what_is_installed_is_told_by_a_dry_run(program, library, here):
    program("install", library, "--to", "claude")
    told = program("uninstall", "--dry-run").stdout.splitlines()
    assert "would remove  .agents/skills/house-rules/SKILL.md" in told
    assert "would remove  .claude/settings.json  (made by sharpen)" in told
    assert "would remove  .agents/sharpen/installed.json" in told
