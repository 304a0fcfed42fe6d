from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from sharpen.skills import Frontmatter, Skill, lint, lint_path

from .strategies import documents

FRONT = '---\nname: "a"\ndescription: "Does a. Use when asked."\n---\n'


def rules(
    text: str, *, folder_name: str | None = None, files: dict[str, bytes] | None = None
) -> set[tuple[str, str]]:
    skill = Skill.from_text(text, files=files)
    return {(finding.level, finding.rule) for finding in lint(skill, folder_name=folder_name)}


def test_a_good_skill_has_no_findings() -> None:
    code = "```sh\necho the same line\necho the same line\n```\n"
    body = f"# A\n\nRun `scripts/run.py`.\n\n- first rule of this skill\n\n{code}"
    assert rules(FRONT + body, folder_name="a", files={"scripts/run.py": b""}) == set()


def test_frontmatter_is_asked_for() -> None:
    assert rules("# A\n") == {("warning", "frontmatter-missing")}
    assert rules("# A\n", folder_name="a") == {("error", "frontmatter-missing")}


@pytest.mark.parametrize(
    ("block", "level", "rule", "line"),
    [
        ("name: a_b\ndescription: Use when.", "error", "name-format", 2),
        ("description: Use when.", "error", "name-missing", 1),
        ("name: b\ndescription: Use when.", "error", "name-folder", 2),
        ("name: a", "error", "description-missing", 1),
        ("name: a\ndescription: Use <b>.", "error", "description-angle-brackets", 3),
        ("name: a\ndescription: Makes tables.", "warning", "description-when", 3),
        ("name: a\ndescription: 'Use when: x.'\nmodel: y", "error", "unknown-field", 4),
        ("name: a\ndescription: Use when.\nmetadata: x", "error", "field-type", 4),
        ("name: a\ndescription: Use when.\nmetadata:\n  v: 1.0", "warning", "metadata-not-quoted", 5),
        ("name: a\ndescription: Use when: x.", "error", "frontmatter-needs-repair", 1),
        ("name: a\ndescription: Use when.\ncompatibility: ''", "error", "compatibility-length", 4),
    ],
)
def test_frontmatter_rules(block: str, level: str, rule: str, line: int) -> None:
    folder_name = "a_b" if "a_b" in block else "a"
    (finding,) = lint(Skill.from_text(f"---\n{block}\n---\n# A\n"), folder_name=folder_name)
    assert (finding.level, finding.rule, finding.line) == (level, rule, line)
    assert ";" in finding.message or "must" in finding.message


@pytest.mark.parametrize(
    ("body", "level", "rule"),
    [
        ("x\n" * 501, "warning", "body-lines"),
        ("a b " * 2600, "warning", "body-tokens"),
        ("a" * 8001, "warning", "body-bytes"),
        ("see !`date`\n", "error", "client-runs-command"),
        ("```!\ndate\n```\n", "error", "client-runs-command"),
        ("use $ARGUMENTS\n", "warning", "client-expands-variable"),
        ("costs $5\n", "warning", "client-expands-variable"),
        ("in ${CLAUDE_PLUGIN_ROOT}/x\n", "warning", "client-expands-variable"),
        ("read @docs/guide.md\n", "warning", "client-attaches-file"),
        ("read @README.md\n", "warning", "client-attaches-file"),
        ("a\u202eb\n", "error", "control-character"),
        ("a\x07b\n", "error", "control-character"),
        ("a\ud800b\n", "error", "control-character"),
        ("a\u200bb\n", "warning", "zero-width-character"),
        ("run scripts/x.py\n", "warning", "missing-file"),
        ("[see](references/deep/x.md#part)\n", "warning", "missing-file"),
        ("<!-- APPENDIX_START -->\n", "error", "unbalanced-marker"),
        ("<!-- APPENDIX_END -->\n", "error", "unbalanced-marker"),
        ("- the same rule twice\n- x\n- the same rule twice\n", "warning", "duplicate-line"),
    ],
)
def test_body_rules(body: str, level: str, rule: str) -> None:
    assert (level, rule) in rules(FRONT + body)


@pytest.mark.parametrize(
    "body",
    [
        "costs \\$5 and $HOME and $name\n",
        "mail me@example.com, @someone, `@docs/x.md`, @pytest.mark.slow\n",
        "wow! `code` follows\n",
        "run scripts/<name>.py or scripts/x-*.py or my/scripts/x.py or scripts/\n",
        "<!-- APPENDIX_START -->\nx\n<!-- APPENDIX_END -->\n",
        "<!-- SLOW_UPDATE_START -->\n<!-- SLOW_UPDATE_END -->\n",
        "Example:\n\nExample:\n",
        "tabs\tand\r\nnewlines\r\n",
    ],
)
def test_harmless_text_is_left_alone(body: str) -> None:
    assert rules(FRONT + body) == set()


def test_files_that_exist_are_not_missed() -> None:
    body = "Run scripts/run.py, then ./scripts/run.py. All of it is in references/deep/.\n"
    assert rules(FRONT + body, files={"scripts/run.py": b"", "references/deep/x.md": b""}) == set()


def test_long_lines_do_not_hang() -> None:
    for piece in ("scripts/" + "a-" * 50_000 + "*", "@" + "a" * 100_000, "!`" * 50_000, "$" * 100_000):
        assert lint(Skill.from_text(FRONT + piece)) is not None


def test_lines_are_counted_in_the_whole_text() -> None:
    found = lint(Skill.from_text(FRONT + "\n# A\n\nsee !`date`\n\na longer line\na longer line\n"))
    assert [(finding.rule, finding.line) for finding in found] == [
        ("client-runs-command", 8),
        ("duplicate-line", 11),
    ]


def test_a_path_is_linted_as_a_folder_when_it_is_one(tmp_path: Path) -> None:
    Skill.from_text("# A\n").with_frontmatter(Frontmatter("a", "Use when.")).write(tmp_path / "a")
    assert lint_path(tmp_path / "a") == lint_path(str(tmp_path / "a" / "SKILL.md")) == ()
    (tmp_path / "a").rename(tmp_path / "b")
    assert [finding.rule for finding in lint_path(tmp_path / "b")] == ["name-folder"]


def test_what_cannot_be_read_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text("---\nname: [\n---\n")
    for path in (tmp_path / "x.md", tmp_path / "nothing", tmp_path):
        (finding,) = lint_path(path)
        assert (finding.level, finding.rule) == ("error", "unreadable")
        assert str(path) in finding.message


@given(documents())
def test_lint_survives_any_text(text: str) -> None:
    for finding in lint(Skill(text), folder_name="a"):
        assert finding.line is None or 1 <= finding.line <= text.count("\n") + 1
