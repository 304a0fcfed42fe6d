"""Whole or not at all: full disks, interrupts, closed files, links, and two at a time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sharpen.errors import StoreError, UsageError
from sharpen.install import Scope, install, uninstall

from .places import clients, project_scope, skill, tree, user_scope

EVERYONE = clients("codex", "claude-code", "gemini", "opencode", "copilot")


@pytest.fixture
def scope(tmp_path: Path) -> Scope:
    found = project_scope(tmp_path)
    settings = found.root / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text('{"model": "m"}\n')
    return found


def test_an_interrupt_at_any_moment_leaves_everything_as_it_was(scope, monkeypatch):
    before, real = tree(scope.root), os.replace
    for limit in range(100):
        made = []

        def interrupted(source: str, target: str, made: list[str] = made, limit: int = limit) -> None:
            made.append(source)
            if len(made) == limit + 1:
                raise KeyboardInterrupt
            real(source, target)

        monkeypatch.setattr(os, "replace", interrupted)
        try:
            install([skill()], EVERYONE, scope=scope)
            break
        except KeyboardInterrupt:
            assert tree(scope.root) == before
    assert limit > 5
    monkeypatch.setattr(os, "replace", real)
    assert not [name for name in tree(scope.root) if name.endswith(".tmp")]
    uninstall([], scope=scope)
    assert tree(scope.root) == before


KILLED = """
import os, sys
from pathlib import Path
from sharpen.install import Scope, install, uninstall
from sharpen.clients import CLIENTS
from sharpen.skills import Skill
left = int(sys.argv[1])
def killed(source, target, real=os.replace):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), 9)
    real(source, target)
os.replace = killed
scope = Scope.of("project", project=Path(sys.argv[2]), home=Path(sys.argv[2]).parent)
if sys.argv[3] == "install":
    install([Skill.read(sys.argv[4])], [CLIENTS["codex"], CLIENTS["claude-code"]], scope=scope)
else:
    uninstall([], scope=scope)
"""


@pytest.mark.parametrize("verb", ["install", "uninstall"])
@pytest.mark.parametrize("steps", [0, 1, 3, 5, 7])
def test_after_a_killed_process_the_same_command_goes_on(scope, tmp_path, verb, steps):
    before = tree(scope.root)
    skill().write(tmp_path / "house-rules")
    if verb == "uninstall":
        install([skill()], clients("codex", "claude-code"), scope=scope)
    arguments = [str(steps), str(scope.root), verb, str(tmp_path / "house-rules")]
    ended = subprocess.run([sys.executable, "-c", KILLED, *arguments], check=False)
    assert ended.returncode == -signal.SIGKILL
    if verb == "install":
        install([skill()], clients("codex", "claude-code"), scope=scope)
        assert not install([skill()], clients("codex", "claude-code"), scope=scope).changes
    uninstall([], scope=scope)
    assert tree(scope.root) == before


FULL = """
import resource, sys
from pathlib import Path
from sharpen.install import Scope, install
from sharpen.clients import CLIENTS
from sharpen.errors import StoreError
from sharpen.skills import Skill
scope = Scope.of("project", project=Path(sys.argv[1]), home=Path(sys.argv[1]).parent)
skill = Skill.read(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    install([skill], [CLIENTS["claude-code"]], scope=scope)
except StoreError as error:
    sys.stdout.write(str(error))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits there")
def test_a_disk_that_takes_no_more_leaves_everything_as_it_was(scope, tmp_path):
    before = tree(scope.root)
    skill(**{"references/zz.md": b"x" * 30_000}).write(tmp_path / "house-rules")
    arguments = [str(scope.root), str(tmp_path / "house-rules")]
    told = subprocess.run(
        [sys.executable, "-c", FULL, *arguments], check=True, capture_output=True, text=True
    )
    assert "could not be written" in told.stdout
    assert "Everything is as it was" in told.stdout
    assert tree(scope.root) == before


def test_two_at_the_same_time_both_get_in(scope, tmp_path):
    program = (
        "import sys; from pathlib import Path; from sharpen.install import Scope, install; "
        "from sharpen.clients import CLIENTS; from sharpen.skills import Skill; r = Path(sys.argv[1]); "
        "install([Skill.read(sys.argv[2])], [CLIENTS['claude-code']], "
        "scope=Scope.of('project', project=r, home=r.parent))"
    )
    names = [f"skill-{n}" for n in range(4)]
    running = []
    for name in names:
        skill(name).write(tmp_path / name)
        running.append(
            subprocess.Popen([sys.executable, "-c", program, str(scope.root), str(tmp_path / name)])
        )
    assert [one.wait() for one in running] == [0] * 4
    assert sorted(path.name for path in (scope.root / ".claude/skills").iterdir()) == names
    before = (scope.root / ".claude/settings.json").read_text()
    assert before.count("sharpen hook claude-code") == 3
    uninstall(names, scope=scope)
    assert (scope.root / ".claude/settings.json").read_text() == '{"model": "m"}\n'


def test_a_read_only_file_is_not_written(scope):
    settings = scope.root / ".claude/settings.json"
    settings.chmod(0o444)
    before = tree(scope.root)
    with pytest.raises(UsageError, match="is read-only"):
        install([skill()], EVERYONE, scope=scope)
    assert tree(scope.root) == before


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_rights_are_kept(scope, mode):
    settings = scope.root / ".claude/settings.json"
    settings.chmod(mode)
    install([skill()], EVERYONE, scope=scope)
    assert settings.stat().st_mode & 0o777 == mode
    uninstall([], scope=scope)
    assert settings.stat().st_mode & 0o777 == mode


def test_new_files_are_as_closed_as_the_user_wants_them(scope):
    before = os.umask(0o077)
    try:
        install([skill(**{"scripts/run.sh": b"#!/bin/sh\n"})], EVERYONE, scope=scope)
    finally:
        os.umask(before)
    folder = scope.root / ".agents/skills/house-rules"
    assert (folder / "SKILL.md").stat().st_mode & 0o777 == 0o600
    assert (folder / "scripts/run.sh").stat().st_mode & 0o777 == 0o700


def test_something_in_the_way_is_named_and_nothing_is_done(scope):
    (scope.root / ".codex").write_text("a file")
    before = tree(scope.root)
    with pytest.raises(StoreError, match="Everything is as it was"):
        install([skill()], EVERYONE, scope=scope)
    assert tree(scope.root) == before
    (scope.root / ".gemini/settings.json").mkdir(parents=True)
    with pytest.raises(UsageError, match=r"settings\.json cannot be read"):
        install([skill()], clients("gemini"), scope=scope)


def test_a_link_to_a_file_that_is_not_there_yet_stays_a_link(scope, tmp_path):
    target = tmp_path / "dotfiles/gemini.json"
    link = scope.root / ".gemini/settings.json"
    link.parent.mkdir()
    link.symlink_to(target)
    install([skill()], clients("gemini"), scope=scope)
    assert "hook gemini" in target.read_text()
    uninstall([], scope=scope)
    assert link.readlink() == target
    assert not target.exists()


def test_a_link_in_a_folder_that_is_a_link_leads_to_the_skill(tmp_path):
    scope = project_scope(tmp_path)
    (tmp_path / "dotfiles/deep/claude").mkdir(parents=True)
    (scope.root / ".claude").symlink_to(tmp_path / "dotfiles/deep/claude")
    install([skill()], clients("claude-code"), scope=scope)
    assert (scope.root / ".claude/skills/house-rules/SKILL.md").read_text() == skill().text
    uninstall([], scope=scope)
    assert tree(tmp_path / "dotfiles") == {"deep": "folder", "deep/claude": "folder"}


def test_where_a_link_is_refused_the_folder_is_copied(scope, monkeypatch):
    before = tree(scope.root)

    def refused(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "symlink_to", refused)
    install([skill()], EVERYONE, scope=scope)
    assert not (scope.root / ".claude/skills/house-rules").is_symlink()
    assert (scope.root / ".claude/skills/house-rules/SKILL.md").read_text() == skill().text
    assert not install([skill()], EVERYONE, scope=scope).changes
    uninstall([], scope=scope)
    assert tree(scope.root) == before


@pytest.mark.parametrize("name", ["a home", "größe 日本", 'it\'s "quoted"'])
def test_homes_may_be_called_anything(tmp_path, name):
    home = tmp_path / name
    home.mkdir()
    scope = Scope.of("user", home=home)
    install([skill()], clients("codex", "claude-code", "kimi"), scope=scope)
    assert (home / ".claude/skills/house-rules/SKILL.md").is_file()
    uninstall([], scope=scope)
    assert tree(home) == {}


def test_clients_that_were_moved_by_a_variable_are_found_there(tmp_path, monkeypatch):
    scope_at_home = user_scope(tmp_path)
    moved = {
        "CODEX_HOME": "codex/hooks.json",
        "CLAUDE_CONFIG_DIR": "claude/settings.json",
        "GEMINI_CLI_HOME": "gemini/.gemini/settings.json",
        "KIMI_CODE_HOME": "kimi/config.toml",
        "COPILOT_HOME": "copilot/hooks/sharpen.json",
        "XDG_CONFIG_HOME": "xdg/opencode/plugins/sharpen.js",
    }
    elsewhere = tmp_path / "else where"
    for variable, path in moved.items():
        (elsewhere / path.split("/")[0]).mkdir(parents=True)
        monkeypatch.setenv(variable, str(elsewhere / path.split("/")[0]))
    before = tree(tmp_path)
    everyone = clients("codex", "claude-code", "gemini", "kimi", "copilot", "opencode")
    install([skill()], everyone, scope=Scope.of("user", home=scope_at_home.home), profile="work")
    for path in (*moved.values(), "codex/config.toml", "codex/work.config.toml"):
        assert (elsewhere / path).is_file(), path
    for path in ("claude/skills", "gemini/.agents/skills"):
        assert (elsewhere / path / "house-rules/SKILL.md").read_text() == skill().text
    for variable in moved:
        monkeypatch.delenv(variable)
    uninstall([], scope=scope_at_home)  # what was written is known, wherever the variables point now
    assert tree(tmp_path) == before
