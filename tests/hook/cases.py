"""Event rules against tool calls, as the documentation promises them: name, rule, call, whether it speaks.

Written from the description of the rules alone. A call is told in the words of this table; `event_of` makes
Claude Code's payload of it, or Codex's where nobody knows the exit code.
"""

from __future__ import annotations

from typing import Any

from sharpen.hook.event import Event

SH = {
    "tool": "Bash",
    "command": "pytest -q tests",
    "output": "E   ModuleNotFoundError: No module named 'yaml'",
    "exit": 1,
}
OK = {"tool": "Bash", "command": "pytest -q tests", "output": "3 passed", "exit": 0}


def sh(command: str = "make", output: str = "", exit: int | None = 1) -> dict[str, Any]:
    return {"tool": "Bash", "command": command, "output": output, "exit": exit}


def edit(path: str, tool: str = "Write") -> dict[str, Any]:
    return {"tool": tool, "path": path, "output": "ok", "exit": 0}


def event_of(call: dict[str, Any]) -> Event:
    """The call as a client would tell it."""
    names = {"patch": "command", "path": "file_path", "command": "command"}
    given = {names[key]: value for key, value in call.items() if key in names}
    output, code = call.get("output", ""), call.get("exit", 0)
    payload = {"session_id": "s", "cwd": "/w", "tool_name": call["tool"], "tool_input": given}
    if code is None:
        told: dict[str, Any] = {"hook_event_name": "PostToolUse", "tool_response": output}
    elif code:
        told = {"hook_event_name": "PostToolUseFailure", "error": f"Exit code {code}\n{output}"}
    else:
        told = {"hook_event_name": "PostToolUse", "tool_response": {"stdout": output, "stderr": ""}}
    return Event("codex" if code is None else "claude-code", {**payload, **told})


CASES = [
    # tool
    ("shell takes the shell", {"tool": "shell", "output": "Module"}, SH, True),
    ("shell takes no edit", {"tool": "shell", "path": ["*.py"]}, edit("/w/a.py"), False),
    ("edit takes Write", {"tool": "edit", "path": ["*.py"]}, edit("/w/a.py"), True),
    ("edit takes Edit", {"tool": "edit", "path": ["*.py"]}, edit("/w/a.py", "Edit"), True),
    ("edit takes MultiEdit", {"tool": "edit", "path": ["*.py"]}, edit("/w/a.py", "MultiEdit"), True),
    ("edit takes no Read", {"tool": "edit", "path": ["*.py"]}, edit("/w/a.py", "Read"), False),
    ("read takes Read", {"tool": "read", "path": ["*.py"]}, edit("/w/a.py", "Read"), True),
    ("any takes the shell", {"tool": "any", "output": "Module"}, SH, True),
    ("any takes an edit", {"tool": "any", "path": ["*.py"]}, edit("/w/a.py"), True),
    (
        "any takes an MCP tool",
        {"tool": "any", "output": "rate limit"},
        {"tool": "mcp__github__search", "output": "rate limit hit"},
        True,
    ),
    (
        "own name",
        {"tool": "mcp__github__search", "output": "rate limit"},
        {"tool": "mcp__github__search", "output": "rate limit hit"},
        True,
    ),
    (
        "another own name",
        {"tool": "mcp__github__search", "output": "rate limit"},
        {"tool": "mcp__github__merge", "output": "rate limit hit"},
        False,
    ),
    ("own name of the shell", {"tool": "Bash", "output": "Module"}, SH, True),
    (
        "shell takes no MCP tool",
        {"tool": "shell", "output": "rate limit"},
        {"tool": "mcp__github__search", "output": "rate limit hit"},
        False,
    ),
    # command
    ("command is searched", {"tool": "shell", "command": r"\bpytest\b"}, SH, True),
    ("command word boundary", {"tool": "shell", "command": r"\bpytest\b"}, sh("mypytester"), False),
    ("command anchored", {"tool": "shell", "command": r"^pytest"}, SH, True),
    ("command anchored, elsewhere", {"tool": "shell", "command": r"^pytest"}, sh("uv run pytest"), False),
    ("command is not the output", {"tool": "shell", "command": "Module"}, SH, False),
    ("command case counts", {"tool": "shell", "command": "PYTEST"}, SH, False),
    ("command ignoring case", {"tool": "shell", "command": "(?i)PYTEST"}, SH, True),
    ("command alternation", {"tool": "shell", "command": "tox|pytest"}, SH, True),
    (
        "command optional part",
        {"tool": "shell", "command": "py(thon3? -m py)?test"},
        sh("python -m pytest"),
        True,
    ),
    ("command optional part absent", {"tool": "shell", "command": "py(thon3? -m py)?test"}, SH, True),
    (
        "command of several lines",
        {"tool": "shell", "command": r"(?m)^npm ci$"},
        sh("cd web\nnpm ci\nnpm test"),
        True,
    ),
    ("no command, no match", {"tool": "any", "command": "."}, {"tool": "mcp__x__y", "output": "z"}, False),
    # output
    ("output is searched", {"tool": "shell", "output": "No module named 'yaml'"}, SH, True),
    ("output dot is a dot", {"tool": "shell", "output": r"a\.b"}, sh(output="axb"), False),
    ("output class", {"tool": "shell", "output": r"TS\d{4}"}, sh(output="error TS2345: no"), True),
    ("output class, too few", {"tool": "shell", "output": r"TS\d{4}:"}, sh(output="error TS234: no"), False),
    ("output over lines", {"tool": "shell", "output": r"(?s)error.*hint"}, sh(output="error\nx\nhint"), True),
    (
        "output dot stops at line",
        {"tool": "shell", "output": r"error.*hint"},
        sh(output="error\nx\nhint"),
        False,
    ),
    ("output is not the command", {"tool": "shell", "output": "pytest"}, SH, False),
    ("empty output", {"tool": "shell", "output": "x"}, sh(output=""), False),
    ("output with accents", {"tool": "shell", "output": "(?i)ÉCHEC"}, sh(output="échec"), True),
    ("long s folds to s", {"tool": "shell", "output": "(?i)straße"}, sh(output="ſtraße"), True),
    ("Kelvin folds to k", {"tool": "shell", "output": "(?i)kelvin"}, sh(output="\u212aelvin"), True),
    ("ASCII folding only", {"tool": "shell", "output": "(?ia)kelvin"}, sh(output="\u212aelvin"), False),
    (
        "verbose pattern",
        {"tool": "shell", "output": "(?x) no \\s module # comment"},
        sh(output="no module"),
        True,
    ),
    ("lookbehind", {"tool": "shell", "output": r"(?<=error: )E\d+"}, sh(output="error: E12"), True),
    ("negative lookahead", {"tool": "shell", "output": r"error(?!s)"}, sh(output="errors"), False),
    (
        "last line of a long output",
        {"tool": "shell", "output": "LAST-WORD"},
        sh(output="x\n" * 200_000 + "LAST-WORD"),
        True,
    ),
    (
        "first line of a long output",
        {"tool": "shell", "output": "FIRST-WORD"},
        sh(output="FIRST-WORD\n" + "x\n" * 200_000),
        True,
    ),
    ("both command and output", {"tool": "shell", "command": "pytest", "output": "yaml"}, SH, True),
    ("command without its output", {"tool": "shell", "command": "pytest", "output": "toml"}, SH, False),
    ("output without its command", {"tool": "shell", "command": "npm", "output": "yaml"}, SH, False),
    (
        "alternative with nothing in common",
        {"tool": "shell", "output": "ENOENT|E404|\\bmissing\\b"},
        sh(output="it is missing"),
        True,
    ),
    ("empty alternative", {"tool": "shell", "output": "(x|)"}, sh(output="anything"), True),
    # exit
    ("failed, and it did", {"tool": "shell", "output": "yaml", "exit": "failed"}, SH, True),
    ("failed, and it did not", {"tool": "shell", "output": "passed", "exit": "failed"}, OK, False),
    ("ok, and it was", {"tool": "shell", "output": "passed", "exit": "ok"}, OK, True),
    ("ok, and it was not", {"tool": "shell", "output": "yaml", "exit": "ok"}, SH, False),
    ("code in the list", {"tool": "shell", "command": ".", "exit": [127, 1]}, SH, True),
    ("code not in the list", {"tool": "shell", "command": ".", "exit": [127]}, SH, False),
    ("code zero", {"tool": "shell", "command": ".", "exit": [0]}, OK, True),
    ("no word on exit", {"tool": "shell", "output": "passed"}, OK, True),
    ("unknown code, failed asked", {"tool": "shell", "command": ".", "exit": "failed"}, sh(exit=None), False),
    ("unknown code, ok asked", {"tool": "shell", "command": ".", "exit": "ok"}, sh(exit=None), False),
    ("unknown code, list asked", {"tool": "shell", "command": ".", "exit": [1]}, sh(exit=None), False),
    ("unknown code, nothing asked", {"tool": "shell", "command": "."}, sh(exit=None), True),
    ("code of a signal", {"tool": "shell", "command": ".", "exit": [137]}, sh(exit=137), True),
    # path
    ("glob on the name", {"tool": "edit", "path": ["*.toml"]}, edit("/w/pyproject.toml"), True),
    ("glob on another name", {"tool": "edit", "path": ["*.toml"]}, edit("/w/a.tom"), False),
    ("glob with folder", {"tool": "edit", "path": ["src/*.py"]}, edit("/w/src/a.py"), True),
    ("glob with folder, elsewhere", {"tool": "edit", "path": ["src/*.py"]}, edit("/w/lib/a.py"), False),
    ("two stars", {"tool": "edit", "path": ["src/**/*.py"]}, edit("/w/src/x/y/a.py"), True),
    ("two stars match no folder", {"tool": "edit", "path": ["src/**/*.py"]}, edit("/w/src/a.py"), True),
    ("one of two globs", {"tool": "edit", "path": ["*.rs", "*.py"]}, edit("/w/a.py"), True),
    ("relative path", {"tool": "edit", "path": ["src/*.py"]}, edit("src/a.py"), True),
    ("a name is no ending", {"tool": "edit", "path": ["test.py"]}, edit("/w/mytest.py"), False),
    ("a set in a glob", {"tool": "edit", "path": ["[ab].py"]}, edit("/w/b.py"), True),
    (
        "patch with the path",
        {"tool": "edit", "path": ["b.txt"]},
        {
            "tool": "apply_patch",
            "patch": "*** Begin Patch\n*** Add File: b.txt\n+x\n*** End Patch",
            "exit": 0,
        },
        True,
    ),
    # language
    ("language by ending", {"tool": "edit", "path": ["*"], "language": "python"}, edit("/w/a.py"), True),
    ("another language", {"tool": "edit", "path": ["*"], "language": "rust"}, edit("/w/a.py"), False),
    ("language by program", {"tool": "shell", "output": "yaml", "language": "python"}, SH, True),
    (
        "language by another program",
        {"tool": "shell", "output": "error", "language": "python"},
        sh("cargo build", "error"),
        False,
    ),
    (
        "language rust by cargo",
        {"tool": "shell", "output": "error", "language": "rust"},
        sh("cargo build", "error"),
        True,
    ),
    (
        "language after cd",
        {"tool": "shell", "output": "error", "language": "rust"},
        sh("cd crates && cargo build", "error"),
        True,
    ),
    (
        "language by script",
        {"tool": "shell", "output": "error", "language": "python"},
        sh("./run.py --x", "error"),
        True,
    ),
    # not
    ("not command", {"tool": "shell", "output": "yaml", "not": {"command": "-q"}}, SH, False),
    ("not command, absent", {"tool": "shell", "output": "yaml", "not": {"command": "-v"}}, SH, True),
    ("not output", {"tool": "shell", "command": "pytest", "not": {"output": "yaml"}}, SH, False),
    ("not output, absent", {"tool": "shell", "command": "pytest", "not": {"output": "toml"}}, SH, True),
    (
        "not path",
        {"tool": "edit", "path": ["*.py"], "not": {"path": ["tests/**"]}},
        edit("/w/tests/a.py"),
        False,
    ),
    (
        "not path, elsewhere",
        {"tool": "edit", "path": ["*.py"], "not": {"path": ["tests/**"]}},
        edit("/w/src/a.py"),
        True,
    ),
    (
        "not both, one holds",
        {"tool": "shell", "output": "yaml", "not": {"command": "tox", "output": "Module"}},
        SH,
        False,
    ),
]
