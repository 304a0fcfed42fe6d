"""The prompts: all of them render, each says what it takes and gives, and a user's own take their place."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from sharpen.errors import SettingsError
from sharpen.evaluate import Question
from sharpen.train.teacher import MATTERS, ModelTeacher, RuleTeacher, TeacherSettings
from sharpen.train.teacher.matters import matter_of
from sharpen.train.teacher.prompting import prompt, prompt_file, prompt_names

from .script import MATTERS as SAMPLES
from .script import SKILL, Scripted, failed, solved

RULE = {"task": "T", "answer": "A", "expected": "E", "feedback": "F"}


@pytest.mark.parametrize("name", prompt_names())
def test_every_prompt_has_a_header_and_renders_without_it(name: str) -> None:
    header = re.match(r"<!--.*?-->", prompt_file(name), re.DOTALL)
    assert header is not None
    assert "output" in header[0]
    text = prompt(name, **(RULE if name == "rule" else {}))
    assert "<!--" not in text
    assert "{{" not in text
    assert len(text) > 200


def test_every_prompt_is_used_and_every_prompt_used_is_there() -> None:
    used = {"refine", "rule"}
    for matter in MATTERS:
        sample = SAMPLES.get(matter)
        for evidence in ((failed(),), (solved(),)):
            question = Question(SKILL, evidence, 1, matter=matter, material=sample.material if sample else {})
            used |= set(matter_of(question, TeacherSettings(skill_aware=True)).prompts)
    assert used == set(prompt_names())


def test_a_users_prompt_takes_the_shipped_ones_place(tmp_path: Path) -> None:
    (tmp_path / "consolidate.md").write_text("<!-- mine -->\nMake one note of them.")
    script = Scripted({"notes": ["x"]})
    teacher = ModelTeacher(script.model, TeacherSettings(prompts=tmp_path))
    asyncio.run(
        teacher.advise("consolidate", SKILL, (), material={"notes": ["x"]}, limit=1, memory="", trial=1)
    )
    assert script.requests[0].system == "Make one note of them."


def test_a_file_that_replaces_nothing_is_named(tmp_path: Path) -> None:
    (tmp_path / "failure.md").write_text("Look at failures.")
    with pytest.raises(SettingsError, match=r"did you mean failures\.md\?"):
        ModelTeacher(Scripted("").model, TeacherSettings(prompts=tmp_path))


def test_a_rule_prompt_without_its_inputs_is_named_before_anything_is_asked(tmp_path: Path) -> None:
    (tmp_path / "rule.md").write_text("Task: {{task}}. Write a rule.")
    teacher = RuleTeacher(Scripted("x").model, TeacherSettings(style="rules", prompts=tmp_path))
    with pytest.raises(SettingsError, match=r"rule\.md must hold .*\{\{expected\}\}"):
        teacher.worst_case(SKILL, [failed()], limit=1, memory="")
