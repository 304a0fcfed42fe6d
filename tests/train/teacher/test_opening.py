"""Teachers by name: models with their options, the phrasebook, and mistakes that are named."""

from __future__ import annotations

import pytest

from sharpen import Task
from sharpen.errors import ModelError, SettingsError, UsageError
from sharpen.train.teacher import (
    ModelTeacher,
    PhrasebookTeacher,
    RuleTeacher,
    TeacherSettings,
    open_teacher,
)

URL = "base_url=http://127.0.0.1:1/v1"


def test_a_model_becomes_a_teacher_and_options_go_where_they_belong() -> None:
    teacher = open_teacher(
        "compatible:m", [URL, "rounds=3", "temperature=0.5", "skill_aware=true", "timeout=9"]
    )
    assert isinstance(teacher, ModelTeacher)
    assert teacher.settings == TeacherSettings(rounds=3, temperature=0.5, skill_aware=True)
    assert teacher.model.name == "compatible:m"
    assert "127.0.0.1:1" in teacher.fingerprint


def test_options_may_be_typed_values() -> None:
    teacher = open_teacher("simulated:echo", {"evidence_tokens": 900, "show_reference": False})
    assert isinstance(teacher, ModelTeacher)
    assert teacher.settings == TeacherSettings(evidence_tokens=900, show_reference=False)


def test_the_style_chooses_the_teacher() -> None:
    assert isinstance(open_teacher("simulated:echo", ["style=rules"]), RuleTeacher)


def test_teachers_use_the_optimizers_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPTIMIZER_OPENAI_COMPATIBLE_BASE_URL", "http://127.0.0.1:7/v1")
    monkeypatch.setenv("TARGET_OPENAI_COMPATIBLE_BASE_URL", "http://127.0.0.1:8/v1")
    teacher = open_teacher("compatible:m")
    assert isinstance(teacher, ModelTeacher)
    assert "127.0.0.1:7" in teacher.fingerprint


def test_the_phrasebook_takes_examples_and_no_options() -> None:
    examples = [Task("t", "?", {"answer": "x"})]
    teacher = open_teacher("phrasebook", examples=examples)
    assert isinstance(teacher, PhrasebookTeacher)
    assert teacher.fingerprint == PhrasebookTeacher(examples).fingerprint
    with pytest.raises(SettingsError, match="no options"):
        open_teacher("phrasebook", ["rounds=2"])


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("opnai:gpt-5", [], "did you mean openai"),
        ("openai:", [], "names no model"),
        ("simulated:echo", ["round=2"], "did you mean 'rounds'"),
        ("simulated:echo", ["evidence=2"], "did you mean 'evidence_tokens'"),
        ("simulated:echo", ["zzz=2"], "there are api"),
        ("simulated:echo", ["rounds"], "must be KEY=VALUE"),
        ("simulated:echo", ["rounds=many"], "rounds must be"),
        ("simulated:echo", ["style=prose"], "json or rules"),
    ],
)
def test_mistakes_are_named(name: str, options: list[str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        open_teacher(name, options)


def test_a_missing_key_is_named_when_the_teacher_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelError, match="OPENAI_API_KEY"):
        open_teacher("openai:gpt-5")
