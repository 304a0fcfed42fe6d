"""What an agent waits for after every tool call: a whole hook process against a bare interpreter.

    python benchmarks/hook.py [--runs 60] [--rules 1000] [--markdown]

A skill with that many rules of ten kinds is installed for Claude Code, and the command that the installation
wrote into the client's settings is started, with a failing command's output of 4 KB on standard input: once
without a rule that applies, once with one. The bare process is `python -c pass` of the same interpreter. All
three are started in turn, so that the machine's mood is in each; medians are shown. The ratio is what to look
at: at most 2.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tables import table

BOUND = 2.0
WARM_UP = 3
LINE = "tests/test_orders.py::test_total[{}] PASSED in 0.01s, nothing to see here\n"
SAY = "In this project the module comes with the extra `dev`; installing it ended this failure in 3 sessions."
KINDS = (
    {
        "output": r"Module{n}Error: No module named '(\w+)'",
        "exit": "failed",
        "not": {"command": r"--collect-only\b"},
    },
    {"output": r"error TS{n}: (?:Cannot find name|Property) '\w+'", "language": "typescript"},
    {"output": r"^error\[E{n}\]: ", "command": r"\bcargo (?:build|test)\b", "exit": [101]},
    {"output": r"(?i)permission denied: \S+/cache-{n}\b"},
    {"output": r"ENOENT-{n}|EACCES-{n}|no such volume: v{n}", "exit": "failed"},
    {"command": r"^npm (?:ci|install)\b.* --workspace=pkg-{n}(?: |$)"},
    {"output": r"FAILED \S+test_feature_{n}\.py::\w+ - (?:Assertion|Key)Error"},
    {"output": r"^E\s+fixture 'db_{n}' not found", "command": "pytest", "cooldown": 60},
    {"path": ["src/feature_{n}/**/*.py", "tests/feature_{n}/*.py"], "language": "python"},
    {"output": r"undefined reference to `lib{n}_\w+'", "exit": [1, 2], "not": {"output": "warning only"}},
)
"""Conditions as an evolved bank would have them, each about a failure of its own."""


def skill_with_rules(folder: Path, count: int) -> Path:
    """A skill's folder with so many rules, of all kinds in turn."""
    rows = []
    for n in range(count):
        conditions = json.loads(json.dumps(KINDS[n % len(KINDS)]).replace("{n}", str(1000 + n)))
        rows.append(
            {"id": f"rule-{n}", "tool": "any" if "path" in conditions else "shell", "say": SAY, **conditions}
        )
    folder.mkdir()
    (folder / "SKILL.md").write_text(f'---\nname: "{folder.name}"\ndescription: "d"\n---\n\n# Many\n')
    (folder / "events.json").write_text(json.dumps({"rules": rows}))
    return folder


def installed_command(project: Path, skill: Path, environment: dict[str, str]) -> list[str]:
    """What the installation registers for the client, word by word."""
    program = str(Path(sys.executable).with_name("sharpen"))
    words = [program, "install", str(skill), "--to", "claude-code"]
    subprocess.run(words, cwd=project, env=environment, check=True, capture_output=True)
    settings = json.loads((project / ".claude/settings.json").read_text())
    return shlex.split(settings["hooks"]["PostToolUseFailure"][0]["hooks"][0]["command"])


def payload(folder: Path, ending: str) -> bytes:
    output = "".join(LINE.format(n) for n in range(52)) + ending
    event = {
        "session_id": "bench",
        "cwd": str(folder),
        "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash",
        "tool_input": {"command": "python -m pytest -q"},
        "tool_use_id": "call",
        "error": f"Exit code 1\n{output}",
    }
    return json.dumps(event).encode()


def timed(command: list[str], given: bytes, environment: dict[str, str]) -> tuple[float, bytes]:
    began = time.perf_counter()
    done = subprocess.run(command, input=given, capture_output=True, check=True, env=environment)
    return time.perf_counter() - began, done.stdout


def forget(folder: Path) -> None:
    """Make every start the first of its session, or the rule would be silent."""
    for path in folder.glob("state/hooks/*.said"):
        path.unlink()


def measure(folder: Path, runs: int, rules: int) -> dict[str, list[float]]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["SHARPEN_STATE"] = str(folder / "state")
    environment["HOME"] = str(folder)
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), environment["PATH"]])
    project = folder / "project"
    project.mkdir()
    hook = installed_command(project, skill_with_rules(folder / "many", rules), environment)
    middle = rules // 2 // len(KINDS) * len(KINDS)
    cases = {
        "python -c pass": ([sys.executable, "-c", "pass"], b"", False),
        f"hook, {rules} rules, none applies": (hook, payload(project, ""), False),
        f"hook, {rules} rules, one applies": (
            hook,
            payload(project, f"Module{1000 + middle}Error: No module named 'yaml'\n"),
            True,
        ),
    }
    taken: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(runs + WARM_UP):
        for name, (command, given, speaks) in cases.items():
            forget(folder)
            seconds, said = timed(command, given, environment)
            if speaks != (SAY.encode() in said):
                raise SystemExit(f"{name}: the hook said {said!r}")
            taken[name].append(seconds)
    return {name: times[WARM_UP:] for name, times in taken.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--rules", type=int, default=1000)
    parser.add_argument("--markdown", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sharpen-") as folder:
        taken = measure(Path(folder), asked.runs, asked.rules)
    middles = {name: statistics.median(times) for name, times in taken.items()}
    base = next(iter(middles.values()))
    rows = [
        [name, f"{1e3 * middle:.1f}", f"{middle / base:.2f}", "ok" if middle / base <= BOUND else "no"]
        for name, middle in middles.items()
    ]
    print(table(["process", "p50 ms", "ratio", f"≤ {BOUND:g}"], rows, markdown=asked.markdown))
    sys.exit(any(row[-1] == "no" for row in rows))


if __name__ == "__main__":
    main()
