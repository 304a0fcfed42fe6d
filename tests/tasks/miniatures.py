"""Writes the miniature data sets: a few rows each, in exactly the files and fields of the real benchmarks.

Everything in them was made up here. `python tests/tasks/miniatures.py` writes them again, the same byte for
byte but for workbooks, which carry the time they were made. The repository of SWE-bench's miniature cannot
lie inside another one; `clone_small` makes it, with the same commit every time.
"""

from __future__ import annotations

import csv
import json
import os
import struct
import subprocess
import sys
import zlib
from collections.abc import Sequence
from datetime import datetime, time
from pathlib import Path

HERE = Path(__file__).parent / "data"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def write_json(path: Path, value: object) -> None:
    write(path, json.dumps(value, ensure_ascii=False, indent=1) + "\n")


def write_lines(path: Path, rows: Sequence[object]) -> None:
    write(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def write_csv(path: Path, rows: Sequence[dict[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)


def png(red: int, green: int, blue: int, size: int = 8) -> bytes:
    """A square of one colour."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return (
            struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        )

    lines = (b"\0" + bytes((red, green, blue)) * size) * size
    head = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(lines))
        + chunk(b"IEND", b"")
    )


def write_picture(path: Path, number: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(png(40 * number % 256, 90 * number % 256, 255 - 20 * number % 256))


# -- the benchmarks -----------------------------------------------------------------------------------------

QUIZ = (
    ("The river that runs through Vienna", ["Danube", "the Danube"], "The Danube runs through Vienna."),
    ("Its capital is Kathmandu", ["Nepal"], "Kathmandu is the capital of Nepal."),
    ("This metal is liquid at room temperature", ["Mercury", "quicksilver"], "Mercury is a liquid metal."),
    ("He painted the Starry Night", ["Vincent van Gogh", "van Gogh"], "Van Gogh painted it in 1889."),
    ("The largest planet", ["Jupiter"], "Jupiter is the largest planet."),
    ("An instrument with 88 keys", ["a piano", "piano"], "A piano usually has 88 keys."),
    ("The author of Faust", ["Johann Wolfgang von Goethe", "Goethe"], "Goethe worked on Faust for decades."),
    ("The chemical sign Fe", ["iron"], "Fe, from ferrum, stands for iron."),
    ("The city of the Little Mermaid", ["København", "Copenhagen"], "The statue sits in Copenhagen."),
    ("A shape with three sides", ["triangle"], "A triangle has three sides."),
    ("The first month", ["January"], "January opens the year."),
    ("The bird on the dollar's seal", ["the bald eagle", "bald eagle"], "A bald eagle holds the arrows."),
)


def searchqa() -> None:
    rows = []
    for number, (clue, answers, fact) in enumerate(QUIZ, 1):
        noise = " ".join(f"[DOC] [TLE] Page {n} [PAR] nothing of use here" for n in range(3))
        long = " [DOC] [TLE] Filler [PAR] " + "words and more words " * 400 if number == 12 else ""
        context = f"[DOC] [TLE] An encyclopedia [PAR] {fact} {noise}{long}"
        labels = [{"start": [0], "end": [1]}]
        rows.append(
            {
                "context": context,
                "question": clue,
                "answers": answers,
                "key": f"q{number:02d}",
                "labels": labels,
            }
        )
    write_lines(HERE / "searchqa" / "searchqa.jsonl", rows)


def docvqa() -> None:
    rows: list[dict[str, object]] = []
    for number in range(1, 9):
        write_picture(HERE / "docvqa" / "images" / f"page{number}.png", number)
        answers = [f"{number}0 March 19{number}1", f"{number}0.3.19{number}1"]
        rows.append(
            {
                "questionId": 40000 + number,
                "question": f"What is the date at the top of page {number}?",
                "question_types": "['layout', 'handwritten']",
                "image": f"images/page{number}.png",
                "docId": 500 + (number + 1) // 2,
                "ucsf_document_id": f"fake{number:04d}",
                "ucsf_document_page_no": number,
                "answers": repr(answers),
                "data_split": "val",
            }
        )
    write_csv(HERE / "docvqa" / "docvqa.csv", rows)


def officeqa() -> None:
    answers = (
        "2,602",
        "543 million",
        "-18.5%",
        "March 1977",
        "12.5, 13.75 and 14",
        "1953",
        "Postal savings (net)",
    )
    rows: list[dict[str, object]] = []
    for number, answer in enumerate(answers, 1):
        year = 1940 + number
        name = f"treasury_bulletin_{year}_01.txt"
        write(
            HERE / "officeqa" / "treasury_bulletins_parsed" / name,
            f"TREASURY BULLETIN, January {year}\n\nTable 1, in millions of dollars\nReceipts | {answer}\n",
        )
        second = f"\r\ntreasury_bulletin_{1940 + number - 1}_01.txt" if number == 5 else ""
        rows.append(
            {
                "uid": f"UID{number:04d}",
                "question": f"What does the row Receipts of the bulletin of January {year} say?",
                "answer": answer,
                "source_docs": f"https://example.org/bulletin/{year}?page=1",
                "source_files": name + second,
                "difficulty": "easy" if number % 2 else "hard",
            }
        )
    write_csv(HERE / "officeqa" / "officeqa_full.csv", rows)


def sealqa() -> None:
    rows = [
        {
            "question": f"How many lighthouses of the invented island {name} still have a keeper?",
            "answer": answer,
            "urls": "['https://example.org/a', 'https://example.org/b']",
            "freshness": freshness,
            "question_types": "['advanced reasoning', 'false premise']",
            "effective_year": "2025",
            "search_results": "conflicting",
            "topic": "Travel",
            "canary": "miniature",
        }
        for name, answer, freshness in (
            ("Aro", "two", "never-changing"),
            ("Bel", "none", "slow-changing"),
            ("Cyl", "Three of seven", "fast-changing"),
            ("Dor", "11", "never-changing"),
            ("Eno", "It has no lighthouse", "never-changing"),
            ("Fal", "one", "slow-changing"),
        )
    ]
    write_csv(HERE / "sealqa" / "seal-0.csv", rows)


def babyvision() -> None:
    rows = []
    for number in range(1, 9):
        write_picture(HERE / "babyvision" / "images" / f"{number}.png", number)
        choice = number % 2 == 1
        rows.append(
            {
                "taskId": 100 + number,
                "type": "Fine-grained Discrimination" if choice else "Visual Tracking",
                "subtype": "Find the different" if choice else "Maze",
                "image": f"images/{number}.png",
                "question": "Which square has this colour?"
                if choice
                else "Which row and column holds the end?",
                "ansType": "choice" if choice else "blank",
                "options": ["red", "green", "blue", "none of them"] if choice else [],
                "choiceAns": number % 4 if choice else None,
                "blankAns": None if choice else f"({number}, {number + 1})",
                "coT": "look closely",
            }
        )
    write_lines(HERE / "babyvision" / "meta_data.jsonl", rows)


def livemathematicianbench() -> None:
    rows: list[object] = []
    for number in range(1, 9):
        texts = [f"Every {n}-regular example is trivial." for n in range(number, number + 5)]
        listed: object = [{"label": "ABCDE"[at], "text": text} for at, text in enumerate(texts)]
        right: object = {"label": "B", "text": texts[1]}
        if number == 2:  # the other way the files spell it
            listed, right = {"ABCDE"[at]: text for at, text in enumerate(texts)}, "C"
        if number == 3:  # the right choice stands apart
            listed, right = (
                [{"label": "ABCD"[at], "text": text} for at, text in enumerate(texts[:4])],
                {
                    "label": "E",
                    "text": texts[4],
                },
            )
        rows.append(
            {
                "no": number,
                "month": "202511",
                "paper_link": f"https://example.org/paper{number}",
                "theorem": "Let G be a made-up graph. Then it is what it is.",
                "theorem_type": ["Existence", "Classification"],
                "sketch": "By inspection.",
                "mcq": {
                    "question": f"Which statement about G_{number} holds?",
                    "choices": listed,
                    "correct_choice": right,
                },
            }
        )
    write_json(HERE / "livemathematicianbench" / "data" / "202511" / "qa_202511_final.json", rows)


def mathverse() -> None:
    versions = ("Text Dominant", "Text Lite", "Vision Intensive", "Vision Dominant", "Vision Only")
    rows = []
    for problem in range(1, 5):
        for at, version in enumerate(versions):
            sample = (problem - 1) * len(versions) + at + 1
            image = f"images_version_1-4/image_{problem}.png"
            write_picture(HERE / "mathverse" / "images" / image, problem)
            choice = problem % 2 == 1
            text = f"A square has the side {problem}. Find its diagonal."
            if choice:
                text += f"\nChoices:\nA:{problem}\nB:{problem}\\sqrt{{2}}\nC:{2 * problem}\nD:{problem / 2}"
            rows.append(
                {
                    "sample_index": str(sample),
                    "problem_index": str(problem),
                    "problem_version": version,
                    "question": "" if version == "Vision Only" else text,
                    "image": image,
                    "answer": "B" if choice else f"{problem}\\sqrt{{2}}",
                    "question_type": "multi-choice" if choice else "free-form",
                    "metadata": {
                        "split": "testmini",
                        "source": "made up",
                        "subject": "Plane Geometry",
                        "subfield": "Length",
                    },
                    "query_wo": text,
                    "query_cot": text,
                    "question_for_eval": text,
                }
            )
    write_json(HERE / "mathverse" / "testmini.json", rows)


def mmrb() -> None:
    for subtask in ("ordering", "counting"):
        home = HERE / "mmrb" / subtask
        rows = []
        for number in range(1, 5):
            pictures = [f"./pictures/{number}_{at}.png" for at in (1, 2)]
            for at, name in enumerate(pictures):
                write_picture(home / name, number + at)
            rows.append(
                {
                    "source": "made-up",
                    "subtask": subtask,
                    "index": number,
                    "question": "Look at {image#1} and at {image#2}. Which is brighter?"
                    if subtask == "ordering"
                    else "How many squares do {image#1} and {image#2} show together?",
                    "options": ["A. the first", "B. the second", "C. neither"]
                    if subtask == "ordering"
                    else [],
                    "answer": "AB"[number % 2] if subtask == "ordering" else "two squares",
                    "image_paths": pictures,
                    "reasoning_steps": [[{"reasoning step": 1, "rationale": "look"}]],
                    "annotation_time": 12.5,
                }
            )
        write_json(home / f"{subtask}_human.json", rows)


def alfworld() -> None:
    kinds = ("pick_and_place_simple", "look_at_obj_in_light", "pick_two_obj_and_place")
    rows = []
    for number in range(1, 7):
        kind = kinds[number % 3]
        game = f"json_2.1.1/valid_seen/{kind}-Mug-None-Desk-{number}/trial_T2019/game.tw-pddl"
        write_json(HERE / "alfworld" / game, {"solvable": True, "walkthrough": ["look"]})
        rows.append({"id": f"{kind}-{number}", "gamefile": game, "task_type": kind})
    write_json(HERE / "alfworld" / "items.json", rows)


SMALL = {
    "small.py": "def double(number):\n    return abs(number) * 2\n",
    "tests/test_old.py": "from small import double\n\n\ndef test_positive():\n    assert double(2) == 4\n",
}
BASE = "41c40a15eb035d43f1dd7dfd251370f4e411b262"
"""The commit that `clone_small` makes."""


def clone_small(data: Path) -> Path:
    """The repository made/small beneath a folder of data, as a clone would lie there."""
    clone = data / "repos" / "made__small"
    for name, text in SMALL.items():
        write(clone / name, text)
    when = "2025-01-01T00:00:00Z"
    who = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in (
        ("NAME", "made up"), ("EMAIL", "made@example.org"), ("DATE", when)
    )}  # fmt: skip
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "A start"]):
        subprocess.run(
            ["git", "-c", "commit.gpgsign=false", "-c", "core.autocrlf=false", *words],
            cwd=clone,
            env={**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_DEFAULT_HASH": "sha1"},
            check=True,
        )
    return clone


def swebench() -> None:
    rows = []
    for number in range(1, 7):
        test_patch = (
            "diff --git a/tests/test_new.py b/tests/test_new.py\nnew file mode 100644\n--- /dev/null\n"
            "+++ b/tests/test_new.py\n@@ -0,0 +1,5 @@\n"
            "+from small import double\n+\n+\n+def test_negative():\n"
            f"+    assert double(-{number}) == -{2 * number}\n"
        )
        rows.append(
            {
                "repo": "made/small",
                "instance_id": f"made__small-{number}",
                "base_commit": BASE,
                "patch": "",
                "test_patch": test_patch,
                "problem_statement": f"double(-{number}) gives {2 * number}; the sign is lost",
                "hints_text": "",
                "created_at": "2025-01-01T00:00:00Z",
                "version": "1.0",
                "FAIL_TO_PASS": '["tests/test_new.py::test_negative"]',
                "PASS_TO_PASS": '["tests/test_old.py::test_positive"]',
                "environment_setup_commit": BASE,
            }
        )
    write_lines(HERE / "swebench" / "swebench_lite.jsonl", rows)


# -- workbooks ----------------------------------------------------------------------------------------------

SHEETS: dict[str, tuple[str, str, str]] = {
    "101-1": ("Put the sum of column A, rows 2 on, into C1.", "Cell-Level Manipulation", "C1"),
    "102-2": ("Double every number of column A into column B.", "Sheet-Level Manipulation", "'Sheet1'!B2:B5"),
    "103-3": (
        "Copy column A to the sheet Out put as text in upper case.",
        "Sheet-Level Manipulation",
        "'Out put'!A2:A4",
    ),
    "104-4": (
        "Fill D2:D6 with a date, a time, a truth, a number as text, nothing.",
        "Cell-Level Manipulation",
        "Sheet1!D2:D6",
    ),
    "105-5": (
        "Write the product of A2 and A3 into C1 and its half into C2.",
        "Cell-Level Manipulation",
        "C1,C2",
    ),
    "106-6": (
        "Mark the largest of column A in B2 with its value, filled yellow.",
        "Cell-Level Manipulation",
        "Sheet1!B2",
    ),
}


def spreadsheetbench() -> None:
    import openpyxl
    from openpyxl.styles import PatternFill

    home = HERE / "spreadsheetbench"
    rows = []
    for name, (instruction, kind, position) in SHEETS.items():
        for case in range(1, 4 if name in ("101-1", "102-2") else 2):
            numbers = [case, case + 2, case * 3, 4.005 * case]
            book = openpyxl.Workbook()
            sheet = book.active
            assert sheet is not None
            sheet.title = "Sheet1"
            sheet["A1"] = "name" if name == "103-3" else "value"
            for at, number in enumerate(numbers, 2):
                sheet.cell(at, 1, f"word {number}" if name == "103-3" else number)
            if name == "103-3":
                book.create_sheet("Out put")
            folder = home / "spreadsheet" / name
            folder.mkdir(parents=True, exist_ok=True)
            book.save(folder / f"{case}_{name}_input.xlsx")
            if name == "101-1":
                sheet["C1"] = sum(numbers)
            elif name == "102-2":
                for at, number in enumerate(numbers, 2):
                    sheet.cell(at, 2, number * 2)
            elif name == "103-3":
                for at, number in enumerate(numbers[:3], 2):
                    book["Out put"].cell(at, 1, f"WORD {number}")
            elif name == "104-4":
                for at, value in enumerate(
                    (datetime(2024, 2, 29, 7, 30), time(9, 15, 30), True, "3.14159", ""), 2
                ):
                    sheet.cell(at, 4, value)
            elif name == "105-5":
                sheet["C1"], sheet["C2"] = numbers[0] * numbers[1], numbers[0] * numbers[1] / 2
            else:
                sheet["B2"] = max(numbers)
                sheet["B2"].fill = PatternFill("solid", fgColor="FFFFFF00")
            book.save(folder / f"{case}_{name}_answer.xlsx")
        rows.append(
            {
                "id": name,
                "instruction": instruction,
                "spreadsheet_path": f"spreadsheet/{name}",
                "instruction_type": kind,
                "answer_position": position,
            }
        )
    write_json(home / "dataset.json", rows)


ALL = (
    searchqa, docvqa, officeqa, sealqa, babyvision, livemathematicianbench, mathverse, mmrb, alfworld,
    swebench, spreadsheetbench,
)  # fmt: skip

if __name__ == "__main__":
    for make in ALL:
        make()
    sys.stdout.write(f"written to {HERE}\n")
