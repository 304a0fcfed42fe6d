"""What an agent waits for after every tool call: a whole hook process against a bare interpreter.

    python benchmarks/hook.py [--runs 60] [--rules 1000] [--markdown]

`sharpen hook claude-code` is started as the client starts it, with that many rules installed and a failing
command's output of 4 KB on standard input: once without a rule that applies, once with one. The bare process
is `python -c pass` of the same interpreter. All three are started in turn, so that the machine's mood is
in each; medians are shown. The ratio is what to look at: at most 2.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sharpen.hook.run import RULES
from sharpen.skills import Skill
from sharpen.skills.rules import compiled, rules_of
from tables import table

BOUND = 2.0
WARM_UP = 3
LINE = "tests/test_orders.py::test_total[{}] PASSED in 0.01s, nothing to see here\n"
SAY = "In this project the module comes with the extra `dev`; installing it ended this failure in 3 sessions."


def rules_text(count: int) -> str:
    """So many rules as an evolved bank would have them: each about an error of its own."""
    rows = [
        {
            "id": f"rule-{n}",
            "tool": "shell",
            "output": rf"Module{n}Error: No module named '(\w+)'",
            "exit": "failed",
            "not": {"command": r"--collect-only\b"},
            "say": SAY,
            "cooldown": 0,
        }
        for n in range(count)
    ]
    skill = Skill.from_text(
        '---\nname: "many"\ndescription: "d"\n---\n\n# Many\n',
        files={"events.json": json.dumps({"rules": rows}).encode()},
    )
    return compiled(rules_of(skill))


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
    """A rule that spoke in the last two seconds is silent: one batch of calls hears it once."""
    for path in folder.glob("state/hooks/*.said"):
        path.unlink()


def measure(folder: Path, runs: int, rules: int) -> dict[str, list[float]]:
    path = folder / RULES
    path.parent.mkdir(parents=True)
    path.write_text(rules_text(rules), encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["SHARPEN_STATE"] = str(folder / "state")
    hook = [str(Path(sys.executable).with_name("sharpen")), "hook", "claude-code"]
    cases = {
        "python -c pass": ([sys.executable, "-c", "pass"], b"", False),
        f"hook, {rules} rules, none applies": (hook, payload(folder, ""), False),
        f"hook, {rules} rules, one applies": (
            hook,
            payload(folder, f"Module{rules // 2}Error: No module named 'yaml'\n"),
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
