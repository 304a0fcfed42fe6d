"""Installing and taking out again, in a project and in a home: what is there, and what is refused."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from sharpen.clients import CLIENTS
from sharpen.errors import SkillError, UsageError
from sharpen.install import Record, install, uninstall
from sharpen.install.scope import RECORD, RULES
from sharpen.skills import Skill

from .places import clients, project_scope, skill, tree, user_scope
from .test_settings import settings_texts, toml_texts

EVERYONE = clients(*CLIENTS)


@pytest.fixture
def scope(tmp_path: Path):
    return project_scope(tmp_path)


def test_the_skill_is_one_folder_and_a_link_for_claude_code(scope):
    install([skill()], EVERYONE, scope=scope)
    there = tree(scope.root)
    assert there[".agents/skills/house-rules/SKILL.md"] == skill().text.encode()
    assert there[".agents/skills/house-rules/references/more.md"] == b"# More\n"
    assert there[".claude/skills/house-rules"] == "link to ../../.agents/skills/house-rules"
    assert (scope.root / ".claude/skills/house-rules/SKILL.md").read_text() == skill().text
    assert not any("skills" in name for name in there if name.startswith((".codex", ".gemini", ".opencode")))


def test_nothing_is_linked_for_clients_that_look_in_the_shared_folder(scope):
    install([skill()], clients("codex", "gemini"), scope=scope)
    assert ".claude" not in tree(scope.root)


def test_a_folder_that_is_linked_as_a_whole_needs_no_link(scope):
    (scope.root / ".agents/skills").mkdir(parents=True)
    (scope.root / ".claude").mkdir()
    (scope.root / ".claude/skills").symlink_to("../.agents/skills")
    install([skill()], clients("claude-code"), scope=scope)
    uninstall([], scope=scope)
    assert tree(scope.root) == {
        ".agents": "folder",
        ".agents/skills": "folder",
        ".claude": "folder",
        ".claude/skills": "link to ../.agents/skills",
    }


def test_in_the_home_the_clients_own_files_are_used(tmp_path):
    scope = user_scope(tmp_path)
    install([skill()], EVERYONE, scope=scope)
    there = tree(scope.root)
    commands = json.loads(there[".codex/hooks.json"])["hooks"]["PostToolUse"][0]["hooks"]
    assert commands[0]["command"].endswith("sharpen hook codex --user")
    kimi = tomllib.loads(there[".kimi-code/config.toml"].decode())["hooks"]
    assert [row["event"] for row in kimi] == [
        "PostToolUse",
        "PostToolUseFailure",
        "UserPromptSubmit",
        "PostCompact",
    ]
    assert ".config/opencode/plugins/sharpen.js" in there
    assert ".copilot/hooks/sharpen.json" in there
    assert ".cursor/skills/house-rules" in there
    assert "skills-lock.json" not in there
    uninstall([], scope=scope)
    assert tree(scope.root) == {}


def test_a_skill_without_rules_brings_no_hooks(scope):
    done = install([skill(rules=False)], EVERYONE, scope=scope)
    assert {one.path.split("/")[0] for one in done.changes} == {".agents", ".claude", "skills-lock.json"}
    assert not (scope.root / RULES).exists()


def test_installing_again_changes_nothing(scope):
    install([skill()], EVERYONE, scope=scope)
    before = tree(scope.root)
    done = install([skill()], EVERYONE, scope=scope)
    assert done.changes == ()
    assert tree(scope.root) == before


def test_a_dry_run_shows_every_line_and_does_nothing(scope, state):
    settings = scope.root / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text('{\n  "model": "m"\n}\n')
    before, times = tree(scope.root), settings.stat()
    planned = install([skill()], EVERYONE, scope=scope, dry_run=True)
    assert tree(scope.root) == before
    assert settings.stat() == times
    assert tree(state) == {}
    diffs = {change.path: change.diff for change in planned.changes}
    assert '-  "model": "m"\n+  "model": "m",\n+  "hooks": {' in diffs[".claude/settings.json"]
    assert "+# House rules\n" in diffs[".agents/skills/house-rules/SKILL.md"]
    assert diffs[".claude/skills/house-rules"].endswith("-> ../../.agents/skills/house-rules\n")
    done = install([skill()], EVERYONE, scope=scope)
    assert [change[:4] for change in done.changes] == [change[:4] for change in planned.changes]
    out = uninstall([], scope=scope, dry_run=True)
    assert '+  "model": "m"\n' in {one.path: one.diff for one in out.changes}[".claude/settings.json"]


def test_new_rules_change_the_rules_file_and_no_command(scope):
    install([skill()], EVERYONE, scope=scope)
    rule = {"id": "bang", "tool": "shell", "output": "bang", "say": "A bang is harmless here."}
    more = skill(**{"references/new.md": b"new\n"})
    more.files["events.json"] = json.dumps({"rules": [rule]}).encode()
    done = install([more], EVERYONE, scope=scope)
    assert {one.path for one in done.changes} == {
        ".agents/skills/house-rules/events.json",
        ".agents/skills/house-rules/references/new.md",
        RULES,
        RECORD,
        "skills-lock.json",
    }
    assert "bang" in (scope.root / RULES).read_text()


def test_a_file_that_the_new_version_lacks_is_removed(scope):
    install([skill(**{"scripts/run.sh": b"#!/bin/sh\n"})], EVERYONE, scope=scope)
    assert os.access(scope.root / ".agents/skills/house-rules/scripts/run.sh", os.X_OK)
    install([skill()], EVERYONE, scope=scope)
    assert ".agents/skills/house-rules/scripts" not in tree(scope.root)


def test_one_of_two_skills_goes_and_the_other_stays(scope):
    install([skill("one")], clients("claude-code", "codex"), scope=scope)
    alone = tree(scope.root)
    install([skill("two")], clients("claude-code", "codex"), scope=scope)
    assert (scope.root / RULES).read_text().count("\n") == 2
    uninstall(["two"], scope=scope)
    after = tree(scope.root)
    assert {name for name in after if name != RECORD} == {name for name in alone if name != RECORD}
    assert after[RULES] == alone[RULES]
    uninstall([], scope=scope)
    assert tree(scope.root) == {}


def test_the_lock_names_skills_as_other_tools_do(scope):
    (scope.root / "skills-lock.json").write_text('{"version": 1, "skills": {"theirs": {"source": "a/b"}}}')
    install([skill()], EVERYONE, scope=scope)
    skills = json.loads((scope.root / "skills-lock.json").read_text())["skills"]
    assert list(skills) == ["theirs", "house-rules"]
    assert skills["house-rules"]["sourceType"] == "local"
    assert len(skills["house-rules"]["computedHash"]) == 64
    uninstall([], scope=scope)
    assert (scope.root / "skills-lock.json").read_text() == (
        '{"version": 1, "skills": {"theirs": {"source": "a/b"}}}'
    )


@given(claude=settings_texts(), gemini=settings_texts(with_comments=True), codex=settings_texts())
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_settings_of_a_project_are_restored_byte_for_byte(tmp_path_factory, claude, gemini, codex):
    scope = project_scope(tmp_path_factory.mktemp("project"))
    for name, text in ((".claude", claude), (".gemini", gemini), (".codex", codex)):
        path = scope.root / name / ("hooks.json" if name == ".codex" else "settings.json")
        path.parent.mkdir()
        path.write_bytes(text.encode())
    before = tree(scope.root)
    install([skill()], EVERYONE, scope=scope)
    assert tree(scope.root)[".claude/settings.json"] != before[".claude/settings.json"]
    uninstall([], scope=scope)
    assert tree(scope.root) == before


@given(kimi=toml_texts())
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_settings_of_a_home_are_restored_byte_for_byte(tmp_path_factory, kimi):
    scope = user_scope(tmp_path_factory.mktemp("home"))
    for name in (".kimi-code/config.toml", ".codex/config.toml"):
        (scope.root / name).parent.mkdir()
        (scope.root / name).write_bytes(kimi.encode())
    before = tree(scope.root)
    try:
        install([skill()], clients("kimi", "codex"), scope=scope, profile="signing")
    except UsageError:
        assert tree(scope.root) == before
        return
    uninstall([], scope=scope)
    assert tree(scope.root) == before


def test_settings_that_do_not_parse_stop_everything_before_anything_is_written(scope):
    path = scope.root / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text('{\n  "model": "m"\n  // no comments here\n}\n')
    before = tree(scope.root)
    with pytest.raises(UsageError, match=r"/\.claude/settings\.json:3:3: .* left as it is"):
        install([skill()], EVERYONE, scope=scope)
    assert tree(scope.root) == before


def test_a_settings_file_is_backed_up_outside_the_project_until_all_is_over(scope, state):
    path = scope.root / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text('{"env": {"KEY": "secret"}}')
    path.chmod(0o600)
    install([skill()], EVERYONE, scope=scope)
    (kept,) = state.glob("backups/*/.claude__settings.json")
    assert kept.read_text() == '{"env": {"KEY": "secret"}}'
    assert path.stat().st_mode & 0o777 == 0o600
    assert not any(
        b"secret" in data for name, data in tree(scope.root / ".agents").items() if data != "folder"
    )
    uninstall([], scope=scope)
    assert not kept.exists()


def test_a_settings_file_that_is_a_link_stays_one(scope, tmp_path):
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    (scope.root / ".claude").mkdir()
    (scope.root / ".claude/settings.json").symlink_to(real)
    install([skill()], clients("claude-code"), scope=scope)
    assert (scope.root / ".claude/settings.json").is_symlink()
    assert "sharpen hook" in real.read_text()
    uninstall([], scope=scope)
    assert real.read_text() == "{}"


@pytest.mark.parametrize("place", [".agents/skills/house-rules", ".claude/skills/house-rules"])
def test_a_skill_of_somebody_else_is_never_written_over(scope, place):
    theirs = scope.root / place / "SKILL.md"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("theirs")
    before = tree(scope.root)
    with pytest.raises(UsageError, match="was not installed by sharpen; rename one"):
        install([skill()], EVERYONE, scope=scope)
    assert tree(scope.root) == before


def test_a_skill_of_somebody_else_in_a_place_that_is_new_to_us_is_refused_too(scope):
    install([skill()], clients("codex"), scope=scope)
    theirs = scope.root / ".claude/skills/house-rules/SKILL.md"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("theirs")
    with pytest.raises(UsageError, match="was not installed by sharpen; rename one"):
        install([skill()], clients("claude-code"), scope=scope)
    uninstall([], scope=scope)
    assert theirs.read_text() == "theirs"


@pytest.mark.parametrize("place", [".opencode/plugins/sharpen.js", ".github/hooks/sharpen.json"])
def test_a_hook_file_of_somebody_else_is_never_written_over(scope, place):
    theirs = scope.root / place
    theirs.parent.mkdir(parents=True)
    theirs.write_text("theirs")
    with pytest.raises(UsageError, match="was not written by sharpen"):
        install([skill()], EVERYONE, scope=scope)
    assert theirs.read_text() == "theirs"


def test_a_skill_that_was_changed_since_is_neither_replaced_nor_removed(scope):
    install([skill()], EVERYONE, scope=scope)
    path = scope.root / ".agents/skills/house-rules/SKILL.md"
    path.write_text(skill().text + "\nMy own line.\n")
    with pytest.raises(UsageError, match="was changed since it was installed"):
        install([skill(body="A newer text.")], EVERYONE, scope=scope)
    done = uninstall([], scope=scope)
    assert any("left alone" in note for note in done.notes)
    assert "My own line." in path.read_text()


@pytest.mark.parametrize("out_first", [False, True])
@pytest.mark.parametrize("file", ["SKILL.md", "references/more.md"])
def test_what_is_said_about_a_changed_file_helps(scope, file, out_first):
    install([skill()], EVERYONE, scope=scope)
    path = scope.root / ".agents/skills/house-rules" / file
    path.write_text("My own.\n")
    advice = "was changed since it was installed; move or remove it"
    if out_first:
        assert any(advice in note for note in uninstall([], scope=scope).notes)
    else:
        with pytest.raises(UsageError, match=advice):
            install([skill(body="A newer text.")], EVERYONE, scope=scope)
    path.rename(scope.root / "mine.md")
    install([skill(body="A newer text.")], EVERYONE, scope=scope)
    assert "My own" not in path.read_text()
    assert (scope.root / ".claude/skills/house-rules/SKILL.md").is_file()


def test_the_home_is_no_project(tmp_path):
    home = user_scope(tmp_path).root
    with pytest.raises(UsageError, match="is your home folder and no project; add --scope user"):
        project_scope(tmp_path).of("project", project=home, home=home)


def test_a_folder_where_everybody_writes_is_refused_and_can_be_left(scope):
    install([skill()], EVERYONE, scope=scope)
    scope.root.chmod(0o1777)
    with pytest.raises(UsageError, match="everybody may write into"):
        install([skill()], EVERYONE, scope=scope)
    uninstall([], scope=scope)
    assert tree(scope.root) == {}


def test_all_that_is_wrong_with_rules_is_told_at_once_and_a_doubt_is_a_note(scope):
    rules = [{"id": "A", "output": "("}, {"id": "b", "say": "x"}]
    carrying = skill(**{"events.json": json.dumps({"rules": rules}).encode()}, rules=False)
    with pytest.raises(UsageError) as caught:
        install([carrying], EVERYONE, scope=scope)
    for told in (
        "rule 1: it needs an id",
        "rule 1: it needs a text",
        "rule 1: output is",
        "rule 2 (b): it has no",
    ):
        assert told in str(caught.value)
    rule = {"id": "b", "tool": "shel", "output": "x", "say": "x"}
    carrying = skill(**{"events.json": json.dumps({"rules": [rule]}).encode()}, rules=False)
    assert any("did you mean shell?" in note for note in install([carrying], EVERYONE, scope=scope).notes)


def test_what_is_told_is_where_it_is_and_what_happens_to_it(tmp_path):
    scope = user_scope(tmp_path)
    theirs = scope.root / ".gemini/settings.json"
    theirs.parent.mkdir()
    theirs.write_text("{}\n")
    done = install([skill()], EVERYONE, scope=scope, dry_run=True)
    told = {one.path: one for one in done.changes}
    assert all(path.startswith("~/") for path in told)
    assert told["~/.claude/settings.json"].action == "write"
    assert told["~/.claude/settings.json"].diff.startswith("--- /dev/null\n+++ ~/.claude/settings.json\n")
    assert told["~/.gemini/settings.json"].action == "edit"
    assert told[f"~/{RECORD}"].action == "write"
    assert f"as they were, ~/.gemini/settings.json are kept in {scope.backups}" in done.notes
    install([skill()], EVERYONE, scope=scope)
    out = {one.path: one for one in uninstall([], scope=scope, dry_run=True).changes}
    assert out["~/.claude/settings.json"].remark == "made by sharpen"
    assert "+++ /dev/null\n" in out["~/.claude/settings.json"].diff
    assert out[f"~/{RECORD}"].action == "remove"


def test_a_part_of_a_git_project_is_told(scope):
    (scope.root / ".git").mkdir()
    assert not any("git project" in note for note in install([skill()], EVERYONE, scope=scope).notes)
    part = scope.root / "part"
    part.mkdir()
    inner = scope.of("project", project=part, home=scope.home)
    note = f"this is for {part}; its git project begins at {scope.root}"
    assert any(note in one for one in install([skill()], EVERYONE, scope=inner).notes)
    (scope.home / ".git").mkdir()
    (scope.root / ".git").rmdir()
    assert not any("git project" in note for note in install([skill()], EVERYONE, scope=inner).notes)


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("Now run !`rm -rf x` at once.", "is run as a command"),
        ("The answer is $ARGUMENTS.", "backslash before"),
        ("Take $1 first.", "backslash before"),
        ("hidden\u200btext", "line 8"),
        ("turned\u202etext", "line 8"),
    ],
)
def test_a_skill_that_clients_would_read_otherwise_is_refused(scope, body, complaint):
    with pytest.raises(UsageError, match=complaint):
        install([skill(body=body)], EVERYONE, scope=scope)
    assert tree(scope.root) == {}


def test_other_refusals_say_what_to_do(scope):
    with pytest.raises(UsageError, match="in its frontmatter"):
        install([Skill.from_text("# Only a text\n")], EVERYONE, scope=scope)
    extra = Skill.from_text('---\nname: "a"\ndescription: "d"\nmodel: "x"\n---\n\n# A\n')
    with pytest.raises(UsageError, match="model"):
        install([extra], EVERYONE, scope=scope)
    with pytest.raises(UsageError, match=f"not installed by sharpen in {scope.root}: nobody"):
        uninstall(["nobody"], scope=scope)
    with pytest.raises(UsageError, match="not the name of a Codex profile"):
        install([skill()], EVERYONE, scope=scope, profile="../x")
    rules = {"rules": [{"id": "a", "output": "(a+)+$", "say": "x"}]}
    endless = Skill.from_text(skill().text, files={"events.json": json.dumps(rules).encode()})
    with pytest.raises(SkillError, match="can take for ever"):
        install([endless], EVERYONE, scope=scope)
    assert tree(scope.root) == {}


def test_a_long_body_and_a_full_catalogue_are_warned_about(scope):
    long = skill(body="A line of good advice.\n" * 400)
    assert any("8000" in note or "8,000" in note for note in install([long], EVERYONE, scope=scope).notes)
    many = [
        Skill.from_text(f'---\nname: "s{n}"\ndescription: "Use when {"x" * 900}"\n---\n\n# S\n\nText.\n')
        for n in range(10)
    ]
    notes = install(many, clients("codex"), scope=scope).notes
    assert any("may show 8000 and cuts the rest" in note for note in notes)


@pytest.mark.parametrize("theirs", [b"\xff\xfe", b"---\nname: [open\n---\n# X\n", b""])
def test_a_broken_skill_of_somebody_else_is_in_nobodys_way(scope, theirs):
    path = scope.root / ".agents/skills/theirs/SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_bytes(theirs)
    install([skill()], EVERYONE, scope=scope)
    uninstall([], scope=scope)
    assert path.read_bytes() == theirs


def test_a_broken_record_is_named(scope):
    install([skill()], EVERYONE, scope=scope)
    (scope.root / RECORD).write_text("{")
    with pytest.raises(UsageError, match="cannot be read"):
        Record.read(scope)


def test_a_record_of_another_version_says_who_can_uninstall_it(scope):
    install([skill()], EVERYONE, scope=scope)
    path = scope.root / RECORD
    path.write_text(json.dumps({**json.loads(path.read_text()), "version": 1}))
    with pytest.raises(UsageError, match=r"version 1, .* writes 2\); uninstall with the sharpen that"):
        uninstall([], scope=scope)


@pytest.mark.parametrize("name", ["House-Rules", "HOUSE-RULES"])
def test_a_name_that_differs_by_case_only_is_taken(scope, name):
    (scope.root / ".agents/skills" / name).mkdir(parents=True)
    with pytest.raises(UsageError, match=f"{name} is there already"):
        install([skill()], EVERYONE, scope=scope)


@pytest.mark.parametrize(
    "letter", ["\u200b", "\u202e", "\u2066", "\U000e0041", "\U000e0100", "\u115f", "\x1b"]
)
def test_hidden_letters_beside_the_skill_are_refused_too(scope, letter):
    hidden = skill(**{"references/more.md": f"# More\nnothing{letter} here\n".encode()})
    with pytest.raises(UsageError, match=r"references/more\.md, line 2"):
        install([hidden], EVERYONE, scope=scope)
    with_mark = skill(**{"references/more.md": b"\xef\xbb\xbf# More\n", "assets/a.png": b"\x89PNG\0\x1b"})
    install([with_mark], EVERYONE, scope=scope)


def test_a_link_that_was_led_elsewhere_is_not_ours(scope, tmp_path):
    install([skill()], EVERYONE, scope=scope)
    link = scope.root / ".claude/skills/house-rules"
    link.unlink()
    link.symlink_to(tmp_path)
    with pytest.raises(UsageError, match="is there already"):
        install([skill()], EVERYONE, scope=scope)
    uninstall([], scope=scope)
    assert link.readlink() == tmp_path


def test_hooks_that_were_moved_or_reformatted_are_not_added_again(scope):
    install([skill()], EVERYONE, scope=scope)
    settings = scope.root / ".claude/settings.json"
    settings.write_text(json.dumps({"model": "m", **json.loads(settings.read_text())}, indent=8))
    assert not install([skill()], EVERYONE, scope=scope).changes


def test_hooks_are_found_again_when_the_program_has_moved(scope, monkeypatch):
    """The command names this installation where PATH has none; both are known as they were written."""
    before = tree(scope.root)
    install([skill()], EVERYONE, scope=scope)
    settings = scope.root / ".claude/settings.json"
    settings.write_text(json.dumps(json.loads(settings.read_text()), indent=8))
    monkeypatch.setattr("sys.executable", "/elsewhere/python")
    uninstall([], scope=scope)
    assert tree(scope.root) == before


def test_an_old_command_goes_when_the_user_has_the_new_one_already(scope, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    install([skill()], clients("claude-code"), scope=scope)
    path = scope.root / ".claude/settings.json"
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/sharpen").write_text("#!/bin/sh\n")
    (tmp_path / "bin/sharpen").chmod(0o755)
    settings = json.loads(path.read_text())
    for groups in settings["hooks"].values():
        groups.append({"hooks": [{"type": "command", "command": "sharpen hook claude-code"}]})
    path.write_text(json.dumps(settings))
    install([skill()], clients("claude-code"), scope=scope)
    commands = [
        group["hooks"] for groups in json.loads(path.read_text())["hooks"].values() for group in groups
    ]
    assert commands == [[{"type": "command", "command": "sharpen hook claude-code"}]] * 3


def test_two_skills_of_one_name_are_refused(scope):
    with pytest.raises(UsageError, match="two of the skills are called house-rules"):
        install([skill(), skill(body="Another.")], EVERYONE, scope=scope)
