"""Answers are judged as each benchmark's own evaluator judges them, the known traps included."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from sharpen.errors import SandboxError, SettingsError, TaskError
from sharpen.models import Simulated
from sharpen.tasks.scoring import Answer
from sharpen.tasks.suites import Opened, suite_named
from sharpen.tasks.suites.livemathematicianbench import shuffled
from sharpen.tasks.suites.officeqa_scorer import matches
from sharpen.tasks.suites.patches import patch_in, patch_of
from sharpen.tasks.suites.searchqa import shortened
from sharpen.tasks.suites.swebench_scorers import (
    Harness,
    Prediction,
    harness_command,
    resolved_in,
    write_predictions,
)
from sharpen.types import Score, Task

from . import miniatures

DATA = Path(__file__).parent / "data"


def opened(name: str, place: Path | None = None, **more: Any) -> Opened:
    return suite_named(name).open(place or DATA / name, **more)


def task_of(found: Opened, name: str) -> Task:
    every = (*found.tasks.train, *found.tasks.selection, *found.tasks.test)
    return next(task for task in every if task.id == name)


def judge(found: Opened, name: str, text: str, folder: Path | None = None) -> Score:
    return found.scorer.score(task_of(found, name), Answer(text, folder))


# -- texts -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "hard", "soft"),
    [
        ("q01", "I think <answer>The Danube.</answer>", 1, 1),
        ("q01", "<answer>Rhine</answer> no, <answer>danube</answer>", 1, 1),
        ("q01", "so the river is\nDanube", 1, 1),
        ("q01", "the river is the Danube", 0, 0.5),
        ("q09", "<answer>københavn</answer>", 1, 1),
        ("q07", "<answer>Wolfgang Goethe</answer>", 0, 2 / 3),
        ("q02", "<answer>Tibet</answer>", 0, 0),
        ("q02", "", 0, 0),
    ],
)
def test_searchqa(name: str, text: str, hard: float, soft: float) -> None:
    score = judge(opened("searchqa"), name, text)
    assert (score.hard, score.soft) == (hard, pytest.approx(soft))


def test_searchqa_cuts_contexts_between_documents() -> None:
    found = task_of(opened("searchqa"), "q12")
    assert "A bald eagle holds the arrows." in found.prompt
    assert "Filler" not in found.prompt  # the document that does not fit is left out whole
    assert shortened("[DOC] " + "x" * 100, 10) == "[DOC] xxxx"
    assert shortened("[DOC] a [DOC] b", 12) == "[DOC] a "


@pytest.mark.parametrize(
    ("text", "hard", "soft"),
    [
        ("<answer>10 march  1911</answer>", 1, 1),
        ("<answer>10.3.1911</answer>", 1, 1),
        ("<answer>10 Marsh 1911</answer>", 0, 1 - 1 / 13),
        ("<answer>yesterday</answer>", 0, 0),  # under one half counts nothing
    ],
)
def test_docvqa(text: str, hard: float, soft: float) -> None:
    score = judge(opened("docvqa"), "40001", text)
    assert (score.hard, score.soft) == (hard, pytest.approx(soft))


def test_docvqa_keeps_the_questions_of_a_document_together() -> None:
    tasks = opened("docvqa").tasks
    homes: dict[str | None, set[str]] = {}
    for name in ("train", "selection", "test"):
        for task in tasks.split(name):  # type: ignore[arg-type]
            homes.setdefault(task.group, set()).add(name)
    assert all(len(splits) == 1 for splits in homes.values())


@pytest.mark.parametrize(
    ("right", "found", "tolerance", "same"),
    [
        ("2,602", "It was 2602 million in 1953", 0, True),  # a year beside it does not disturb
        ("2,602", "2,603", 0, False),
        ("2,602", "2,603", 0.01, True),
        ("543 million", "543", 0, True),
        ("543 million", "543000000", 0, False),  # numbers are compared as they are written
        ("-18.5%", "−18.5", 0, True),  # a typographic minus
        ("-18.5%", "18.5%", 0, False),
        ("March 1977", "march, 1977", 0, True),
        ("March 1977", "April 1977", 0, False),
        ("March 1977", "1977", 0, False),
        ("12.5, 13.75 and 14", "12.5 and 14 and 13.75", 0, True),
        ("12.5, 13.75 and 14", "12.5 and 14", 0, False),  # all of them must be there
        ("1953", "in 1953", 0, True),
        ("1953", "1954", 0.05, True),
        ("0", "0", 0, True),
        ("0", "0.01", 0.05, False),
        ("Postal savings (net)", "the row Postal Savings", 0, True),
        ("Postal savings", "Treasury", 0, False),
    ],
)
def test_officeqa_tolerance(right: str, found: str, tolerance: float, same: bool) -> None:
    assert matches(right, found, tolerance) is same


def test_officeqa_has_two_rules_under_two_names() -> None:
    official, skillopt = opened("officeqa"), opened("officeqa", scorer="officeqa_f1")
    near = opened("officeqa", scorer="officeqa_5_percent")
    assert (official.scorer.name, skillopt.scorer.name) == ("officeqa@1", "officeqa_f1@1")
    text = "<FINAL_ANSWER>about 543 in all</FINAL_ANSWER>"
    assert judge(official, "UID0002", text).hard == 1
    assert judge(skillopt, "UID0002", "<answer>543 million dollars</answer>").hard == 1
    assert judge(skillopt, "UID0002", "<answer>about 543 in all</answer>").hard == 0
    assert judge(official, "UID0001", "2,610").hard == 0
    assert judge(near, "UID0001", "2,610").hard == 1
    assert judge(official, "UID0001", " ").hard == 0


def test_officeqa_brings_its_documents_as_files() -> None:
    task = task_of(opened("officeqa"), "UID0005")
    assert sorted(task.data["files"]) == [
        "documents/treasury_bulletin_1944_01.txt",
        "documents/treasury_bulletin_1945_01.txt",
    ]
    assert "- documents/treasury_bulletin_1945_01.txt" in task.prompt
    without = task_of(opened("officeqa", options={"documents": False}), "UID0005")
    assert "files" not in without.data


def grader(grade: str) -> Simulated:
    return Simulated("grader", lambda request, trial: json.dumps({"evidence": "so", "grade": grade}))


def test_sealqa_is_graded_by_a_model_and_shows_no_remarks() -> None:
    found = opened("sealqa", judge=grader("correct"))
    task = found.tasks.train[0]
    assert found.scorer.score(task, Answer("two of them")).hard == 1
    assert "fast-changing" not in task.prompt
    assert "false premise" not in task.prompt
    wrong = opened("sealqa", judge=grader("not_attempted"))
    assert wrong.scorer.score(task, Answer("I do not know")).feedback == "no answer was attempted"
    plain = opened("sealqa", scorer="sealqa_f1")
    assert plain.scorer.score(task, Answer(f"<answer>{task.data['answer']}</answer>")).hard == 1


def test_sealqa_shows_documents_where_rows_have_them(tmp_path: Path) -> None:
    rows = [
        {"question": f"q{n}", "answer": "a", "12_docs": [{"title": "T", "text": "a body"}]} for n in range(3)
    ]
    (tmp_path / "longseal.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = opened("sealqa", tmp_path, scorer="sealqa_f1", options={"documents": "12_docs"})
    assert "a body" in found.tasks.train[0].prompt
    with pytest.raises(TaskError, match="no documents in '20_docs'"):
        opened("sealqa", tmp_path, scorer="sealqa_f1", options={"documents": "20_docs"})


# -- choices and mathematics -----------------------------------------------------------------------------


def test_livemathematicianbench_shuffles_by_item_and_keeps_the_right_choice() -> None:
    found = opened("livemathematicianbench")
    plain = opened("livemathematicianbench", options={"shuffle_choices": False})
    moved = 0
    for number, right in ((1, "B"), (2, "C"), (3, "E")):  # a list, a mapping, the right one apart
        name = f"202511:{number}"
        mixed, ordered = task_of(found, name), task_of(plain, name)
        assert ordered.data["answer"] == right
        text = ordered.data["choices"][right]
        assert mixed.data["choices"][mixed.data["answer"]] == text
        assert sorted(mixed.data["choices"].values()) == sorted(ordered.data["choices"].values())
        assert judge(found, name, f"<answer>{mixed.data['answer']}</answer>").hard == 1
        assert judge(found, name, f"\\boxed{{({mixed.data['answer']})}}").hard == 1
        assert judge(found, name, text).hard == 1
        other = next(label for label in mixed.data["choices"] if label != mixed.data["answer"])
        assert judge(found, name, f"The answer is {other}.").hard == 0
        moved += mixed.data["choices"] != ordered.data["choices"]
    assert moved
    choices = {"A": "x", "B": "y"}
    assert shuffled(choices, "A", item="i", seed=1) == shuffled(choices, "A", item="i", seed=1)


def test_livemathematicianbench_keeps_the_theorem_for_the_teacher() -> None:
    task = task_of(opened("livemathematicianbench", options={"use_theorem": True}), "202511:1")
    assert "made-up graph" in task.data["reference"]
    assert "made-up graph" not in task.prompt


def test_babyvision_counts_choices_from_zero_and_compares_blanks_without_layout() -> None:
    found = opened("babyvision")
    assert task_of(found, "101").data["answer"] == "B"
    assert judge(found, "101", r"so \boxed{B}").hard == 1
    assert judge(found, "101", r"so \boxed{green}").hard == 1
    assert judge(found, "101", r"so \boxed{A}").hard == 0
    assert judge(found, "102", r"\boxed{(2,3)}").hard == 1
    assert judge(found, "102", r"\boxed{2, 3}").hard == 1
    assert judge(found, "102", r"\boxed{(3, 2)}").hard == 0
    judged = opened("babyvision", scorer="babyvision_judge", judge=grader("correct"))
    assert judge(judged, "102", "row two, column three").hard == 1


def test_babyvision_reads_skillopt_items(tmp_path: Path) -> None:
    picture = str(DATA / "babyvision" / "images" / "1.png")
    choices = [{"label": "A", "text": "x"}, {"label": "B", "text": "y"}]
    item = {"question": "which?", "image_path": picture, "ans_type": "choice", "choices": choices}
    rows = [{"id": str(n), **item, "correct_choice": choices[1]} for n in range(3)]
    (tmp_path / "meta_data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert judge(opened("babyvision", tmp_path), "0", r"\boxed{B}").hard == 1


def test_mathverse_judges_labels_and_mathematics() -> None:
    pytest.importorskip("math_verify")
    found = opened("mathverse")
    assert judge(found, "1", r"\boxed{B}").hard == 1
    assert judge(found, "1", r"\boxed{C}").hard == 0
    assert judge(found, "6", r"\boxed{\sqrt{8}}").hard == 1  # equal to 2√2
    assert judge(found, "6", r"\boxed{2.82}").hard == 0
    versions = {task.data["version"] for task in opened("mathverse", options={
        "problem_version": "Vision Only"
    }).tasks.train}  # fmt: skip
    assert versions == {"Vision Only"}
    groups = [{t.group for t in found.tasks.split(name)} for name in ("train", "selection", "test")]
    assert not groups[0] & groups[1]
    assert not groups[0] & groups[2]


def test_mmrb_sends_pictures_in_order_and_judges_letters_and_words() -> None:
    found = opened("mmrb")
    task = task_of(found, "made-up:ordering:1")
    assert "[picture 1]" in task.prompt
    assert len(task.data["images"]) == 2
    assert judge(found, task.id, "<answer>B</answer>").hard == 1
    assert judge(found, task.id, "<answer>(B) the second</answer>").hard == 1
    assert judge(found, task.id, "<answer>A</answer>").hard == 0
    assert judge(found, "made-up:counting:1", "<answer>Two squares!</answer>").hard == 1
    assert judge(found, "made-up:counting:1", "<answer>three</answer>").hard == 0


# -- SWE-bench -------------------------------------------------------------------------------------------

FIX = """diff --git a/small.py b/small.py
--- a/small.py
+++ b/small.py
@@ -1,2 +1,2 @@
 def double(number):
-    return abs(number) * 2
+    return number * 2
"""
BREAKS_OLD = FIX.replace("return number * 2", "return -abs(number) * 2")


@pytest.fixture
def issues(tmp_path: Path) -> Path:
    place = tmp_path / "swebench"
    shutil.copytree(DATA / "swebench", place)
    miniatures.clone_small(place)
    return place


def test_a_patch_is_tried_on_the_repository_in_the_sandbox(issues: Path) -> None:
    found = opened("swebench", issues)
    name = "made__small-1"
    assert judge(found, name, f"Here:\n```diff\n{FIX}```").hard == 1
    half = judge(found, name, FIX)  # bare
    assert (half.hard, half.soft) == (1, 1)
    broken = judge(found, name, f"<patch>\n{BREAKS_OLD}</patch>")
    assert (broken.hard, broken.soft) == (0, 0.5)
    assert "tests/test_old.py::test_positive" in broken.feedback
    assert judge(found, name, "no patch").feedback.startswith("the answer holds no patch")
    assert judge(found, name, FIX.replace("abs(number)", "gone")).feedback == (
        "the patch does not apply to the repository"
    )


def test_an_answer_cannot_bring_the_tests_it_is_judged_by(issues: Path) -> None:
    found = opened("swebench", issues)
    own = (
        "diff --git a/tests/test_new.py b/tests/test_new.py\nnew file mode 100644\n--- /dev/null\n"
        "+++ b/tests/test_new.py\n@@ -0,0 +1,2 @@\n+def test_negative():\n+    pass\n"
    )
    assert judge(found, "made__small-1", own).hard == 0
    assert judge(found, "made__small-1", own + FIX).hard == 1


def test_an_agent_may_leave_changed_and_removed_files_instead(issues: Path, tmp_path: Path) -> None:
    found = opened("swebench", issues, options={"lay_out": True})
    task = task_of(found, "made__small-2")
    assert sorted(task.data["files"]) == sorted(miniatures.SMALL)
    work = tmp_path / "work"
    for name, text in task.data["files"].items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(text.replace("abs(number)", "number"))
    assert judge(found, task.id, "done", work).hard == 1
    made = patch_of(task, Answer("done", work))  # what the harness would get
    assert judge(found, task.id, made).hard == 1
    (work / "small.py").unlink()
    (work / "smaller.py").write_text("number = 1\n")
    assert judge(found, task.id, "done", work).hard == 0
    made = patch_of(task, Answer("done", work))
    assert "deleted file" in made
    assert "+number = 1" in made
    assert patch_of(task, Answer(FIX, work)) == FIX


def test_a_patch_cannot_leave_the_repository(issues: Path) -> None:
    evil = FIX.replace("small.py", "../../escaped.py")
    assert judge(opened("swebench", issues), "made__small-1", evil).hard == 0


def test_a_commit_that_is_not_there_is_named_before_anything_runs(issues: Path) -> None:
    file = issues / "swebench_lite.jsonl"
    file.write_text(file.read_text().replace(miniatures.BASE, "0" * 40, 1))
    with pytest.raises(TaskError, match=r"'made__small-1': .* has no commit 0000"):
        opened("swebench", issues)


def test_predictions_and_reports_are_the_harness_own(tmp_path: Path) -> None:
    write_predictions(tmp_path / "p.jsonl", [Prediction("a__b-1", "mine", FIX), Prediction("é", "mine", "")])
    lines = (tmp_path / "p.jsonl").read_text().splitlines()
    assert json.loads(lines[0]) == {"instance_id": "a__b-1", "model_name_or_path": "mine", "model_patch": FIX}
    (tmp_path / "mine.r.json").write_text(json.dumps({"resolved_ids": ["a__b-1"], "unresolved_ids": ["x"]}))
    assert resolved_in(tmp_path / "mine.r.json") == {"a__b-1"}
    words = harness_command("D", "test", tmp_path / "p.jsonl", run="r", ids=["a__b-1"])
    assert words[1:5] == ["-m", "swebench.harness.run_evaluation", "--dataset_name", "D"]
    (tmp_path / "mine.r.json").write_text("[]")
    with pytest.raises(TaskError, match="is no report of SWE-bench's harness"):
        resolved_in(tmp_path / "mine.r.json")
    assert patch_in("text only") == ""


def test_the_harness_is_refused_without_docker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "swebench.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxError, match="needs Docker, which is not installed; or use swebench_local@1"):
        Harness.ready("SWE-bench/SWE-bench_Lite", "test")
    with pytest.raises(SettingsError, match="dataset_name is one of lite, verified, full, not 'huge'"):
        opened("swebench", scorer="swebench@1", options={"dataset_name": "huge"})


# -- ALFWorld --------------------------------------------------------------------------------------------

WORLD = {"world": "tasks.toy_world:ToyWorld"}
PLAN = "open drawer 1\ntake mug 1 from drawer 1\nmove mug 1 to desk 1"


def test_alfworld_plays_the_commands() -> None:
    found = opened("alfworld", options={**WORLD, "mode": "single"})
    assert found.student == "chat"
    task = found.tasks.train[0]
    assert found.scorer.score(task, Answer(PLAN)).hard == 1
    fenced = "My plan:\n```\n1. Open drawer 1\n2. take mug 1 from drawer 1\n- move mug 1 to desk 1\n```"
    assert found.scorer.score(task, Answer(fenced)).hard == 1
    lost = found.scorer.score(task, Answer("look\nopen drawer 1"))
    assert lost.hard == 0
    assert "In it you see a mug 1." in lost.feedback
    short = opened("alfworld", options={**WORLD, "mode": "single", "max_steps": 2})
    assert short.scorer.score(task, Answer(PLAN)).hard == 0  # the third move comes too late
    with pytest.raises(SettingsError, match="no mode 'react'"):
        opened("alfworld", options={**WORLD, "mode": "react"})
