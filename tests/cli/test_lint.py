"""`sharpen lint` of event rules and of several skills at once."""

from __future__ import annotations

import json
from pathlib import Path

from .conftest import Program

FRONT = '---\nname: "{name}"\ndescription: "Use when asked."\n---\n\n# Skill\n\nDo it.\n'
GOOD = {"id": "boom", "tool": "shell", "output": "boom", "say": "Sign the file."}


def written(folder: Path, *rules: object) -> Path:
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(FRONT.format(name=folder.name))
    (folder / "events.json").write_text(json.dumps({"rules": rules}))
    return folder


def found(program: Program, *paths: object) -> list[tuple[str, str, str]]:
    rows = json.loads(program("lint", *paths, "--json").stdout)
    return [(row["level"], row["rule"], row["message"]) for row in rows]


def test_every_error_of_the_rules_is_told_at_once(program: Program, here: Path) -> None:
    wrong = {"id": "Bad Id", "output": "(", "path": [], "exit": "maybe", "outptu": "x"}
    folder = written(here / "forms", GOOD, wrong, {**GOOD, "say": ""})
    for path, where in (
        (folder, "events.json, "),
        (folder / "SKILL.md", "events.json, "),
        (folder / "events.json", ""),
    ):
        told = found(program, path)
        assert {(level, rule) for level, rule, _ in told} == {("error", "event-rule")}
        begins = [
            "rule 2: unknown keys: outptu", "rule 2: it needs an id", "rule 2: it needs a text",
            "rule 2: output is not a regular", "rule 2: path must be", "rule 2: exit must be",
            "rule 3 (boom): it needs a text", "the id boom is there more than once",
        ]  # fmt: skip
        assert [message[: len(where + part)] for (_, _, message), part in zip(told, begins, strict=True)] == [
            where + part for part in begins
        ]


def test_a_pattern_without_end_is_an_error_and_a_strange_tool_a_warning(program: Program, here: Path) -> None:
    tools = ("shel", "Any", "bash", "mcp__github__search", "WebFetch", "read_many_files")
    rules = [{**GOOD, "id": f"r{n}", "tool": tool} for n, tool in enumerate(tools)]
    folder = written(here / "forms", *rules, {**GOOD, "output": "(a+)+$"})
    told = found(program, folder)
    assert [(level, rule) for level, rule, _ in told] == [
        ("warning", "event-rule-tool"), ("warning", "event-rule-tool"), ("error", "event-rule-endless"),
    ]  # fmt: skip
    assert told[0][2].endswith("rule 1 (r0): only a client's own tool is called shel; did you mean shell?")


def test_bare_rules_are_looked_at_as_the_skill_they_become(program: Program, here: Path) -> None:
    bare = here / "boom-rules.json"
    bare.write_text(json.dumps({"rules": [GOOD]}))
    assert found(program, bare) == []
    bare.write_text(json.dumps({"rules": [{**GOOD, "say": "Run !`rm x` now."}]}))
    assert [rule for _, rule, _ in found(program, bare)] == ["client-runs-command"]
    bare.rename(here / "Boom Rules.json")
    assert "rename the file" in found(program, here / "Boom Rules.json")[0][2]
    (here / "broken.json").write_text("{")
    assert "it is not JSON" in found(program, here / "broken.json")[0][2]


def test_a_folder_of_skills_stands_for_each(program: Program, here: Path) -> None:
    written(here / "skills/a", GOOD)
    written(here / "skills/b", {**GOOD, "say": ""})
    done = program("lint", "skills")
    assert done.exit_code == 1
    assert done.stdout.startswith("skills/b: error: events.json, rule 1 (boom): it needs a text")
    assert "2 looked at: 1 errors, 0 warnings" in done.stderr
