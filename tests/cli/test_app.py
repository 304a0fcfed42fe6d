"""The program as a whole: help, version, typos, and how errors end it."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import sharpen
from sharpen.cli.app import VERBS, Verb
from sharpen.cli.helpdoc import page

from .conftest import Process, Program

ROOT = Path(__file__).parents[2]


def test_help_lists_every_verb(program: Program) -> None:
    result = program("--help")
    assert result.exit_code == 0
    assert all(verb.name in result.stdout for verb in VERBS)


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_every_verb_explains_itself(program: Program, verb: Verb) -> None:
    command = import_module(f"sharpen.cli.{verb.module}").command
    assert command.__doc__.splitlines()[0] == verb.help
    result = program(verb.name, "--help")
    assert result.exit_code == 0
    assert verb.help in " ".join(result.stdout.split())


def test_the_page_is_what_the_program_says() -> None:
    assert (ROOT / "docs" / "cli.md").read_text(encoding="utf-8") == page(), "run `make docs`"


def test_version(program: Program) -> None:
    assert program("--version").stdout == f"sharpen {sharpen.__version__}\n"


def test_a_typo_is_answered_with_the_nearest_verb(program: Program) -> None:
    result = program("trian")
    assert result.exit_code == 2
    assert "Did you mean 'train'?" in result.stderr
    assert not result.stdout


def test_an_unknown_option_is_the_users_mistake(program: Program) -> None:
    assert program("doctor", "--colour").exit_code == 2


def test_help_loads_neither_the_library_nor_pydantic() -> None:
    code = (
        "import sys; sys.argv = ['sharpen', '--help']\n"
        "from sharpen.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'sharpen.train', 'sharpen.store', 'pydantic', 'jinja2', 'sqlite3'} & set(sys.modules)\n"
        "print('heavy:', sorted(heavy))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.rstrip().endswith("heavy: []"), done.stdout + done.stderr


@pytest.mark.parametrize("verb", ["show", "train", "doctor", "demo"])
def test_asking_for_help_loads_no_sdk(verb: str) -> None:
    code = (
        f"import sys; sys.argv = ['sharpen', '{verb}', '--help']\n"
        "from sharpen.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "sdks = {'openai', 'anthropic', 'google.genai', 'httpx', 'httpx2'} & set(sys.modules)\n"
        "print('sdks:', sorted(sdks))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.rstrip().endswith("sdks: []"), done.stdout + done.stderr


def test_results_on_stdout_chatter_on_stderr(process: Process) -> None:
    done = process("demo", "--simulated")
    assert done.returncode == 0
    assert "gate" in done.stderr
    assert "gate" not in done.stdout
    assert done.stdout.startswith("# Skill\n")
    assert "\x1b" not in done.stdout + done.stderr


def test_a_mistake_is_one_line_without_a_traceback(process: Process, here: Path) -> None:
    done = process("show", here / "nowhere")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
