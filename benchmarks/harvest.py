"""How fast sessions are read, redacted and kept, beside a plain `json.loads` loop over the same lines.

    python benchmarks/harvest.py [--megabytes 1000] [--runs 3] [--markdown]

Session files of Claude Code and Codex are generated: prompts, answers, commands, outputs of a few hundred
bytes to tens of kilobytes, now and then a secret. Each job runs in a process of its own, so that its peak
memory is its own; jobs alternate, and the ratio is of processor time, because a shared machine's clock says
little. Memory is flat when a file of a tenth of the size needs about as much.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import resource
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

from sharpen.traces.archive import Archive
from sharpen.traces.gathering import Nowhere
from sharpen.traces.harvest import harvest
from sharpen.traces.privacy import Privacy, best_engine
from sharpen.traces.reading import SourceFile, read_file
from sharpen.traces.sources import FORMATS
from tables import table

READING, HARVESTING = 0.5, 0.1
FLAT = 1.5
FORMAT_NAMES = ("claude-code", "codex")

_VOCABULARY = """
    the function returns an error when list is empty and test expects value none import path config server
    module request response handler update remove add check token key user file line warning failed passed
"""
WORDS = _VOCABULARY.split()
SECRETS = ("AKIA{0:016X}", "ghp_{0:036x}", "sk-ant-api03-{0:024x}", "PASSWORD={0:x}", "alice.{0:x}@corp.io")


def measure(job: Callable[[Path], None], path: Path) -> tuple[float, float, float]:
    """Processor seconds, seconds and peak megabytes of a job in a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measured, (job, path))


def _measured(job: Callable[[Path], None], path: Path) -> tuple[float, float, float]:
    began, clock = time.perf_counter(), time.process_time()
    job(path)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
    return time.process_time() - clock, time.perf_counter() - began, peak


def plain(path: Path) -> None:
    with path.open("rb") as file:
        for line in file:
            json.loads(line)


def reading(path: Path) -> None:
    read_file(SourceFile(path, FORMATS[path.suffixes[0][1:]]), Nowhere())


def harvesting(path: Path) -> None:
    file = SourceFile(path, FORMATS[path.suffixes[0][1:]])
    privacy = Privacy(environ={}, names=["alice"])
    with (
        tempfile.TemporaryDirectory(dir=path.parent) as folder,
        Archive.open(Path(folder, "traces.db"), create=True) as archive,
    ):
        tally = harvest([file], archive, privacy=privacy)[file.format.name]
    if tally.refused or tally.unread or not tally.redactions:
        raise SystemExit(f"the harvest went wrong: {tally}")


JOBS: tuple[tuple[str, Callable[[Path], None], float | None], ...] = (
    ("json.loads", plain, None),
    ("read", reading, READING),
    ("read, redact, write", harvesting, HARVESTING),
)


# -- sessions ---------------------------------------------------------------------------------------------


def generate(path: Path, megabytes: float, format_name: str) -> None:
    """A session file of about that size."""
    dice = random.Random(f"{path.name} {megabytes}")
    lines = _claude(dice) if format_name == "claude-code" else _codex(dice)
    size = 0
    with path.open("w", encoding="utf-8") as file:
        while size < megabytes * 1e6:
            size += file.write(json.dumps(next(lines)) + "\n")


def _text(dice: random.Random, size: int) -> str:
    """Output as commands print it: paths, numbers, words; one in forty holds a secret."""
    lines = []
    while size > 0:
        words = " ".join(dice.choices(WORDS, k=dice.randint(4, 14)))
        line = (
            f"/home/alice/app/src/{dice.choice(WORDS)}.py:{dice.randint(1, 900)}: {words} {dice.random():.4f}"
        )
        lines.append(line if dice.random() < 0.5 else words)
        size -= len(lines[-1])
    if dice.random() < 1 / 40:
        lines.append(dice.choice(SECRETS).format(dice.getrandbits(60)))
    return "\n".join(lines)


def _size(dice: random.Random) -> int:
    return int(min(dice.lognormvariate(6.8, 1.3), 60_000))


def _name(dice: random.Random) -> str:
    return str(uuid.UUID(int=dice.getrandbits(128)))


def _claude(dice: random.Random) -> Iterator[dict[str, object]]:
    """The lines and fields that Claude Code 2.1 writes for a prompt, an answer in two parts and a result."""
    fixed = {
        "userType": "external",
        "entrypoint": "cli",
        "cwd": "/home/alice/app",
        "sessionId": _name(dice),
        "version": "2.1.325",
        "gitBranch": "main",
    }
    number, last = 0, _name(dice)
    while True:
        number += 1
        request, answer = _name(dice), f"msg_{dice.getrandbits(64):x}"
        lines: list[dict[str, object]] = []
        if number % 20 == 1:
            lines.append(
                {
                    "promptId": _name(dice),
                    "type": "user",
                    "permissionMode": "acceptEdits",
                    "message": {"role": "user", "content": _text(dice, 200)},
                }
            )
        call = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": _text(dice, 60)}}
        usage = {
            "input_tokens": 90,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 800,
            "output_tokens": 30,
            "service_tier": "standard",
            "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0},
        }
        for part in ({"type": "text", "text": _text(dice, 300)}, call):
            message = {
                "id": answer,
                "type": "message",
                "role": "assistant",
                "model": "some-model",
                "content": [part],
                "stop_reason": "tool_use",
                "stop_sequence": None,
                "usage": usage,
            }
            lines.append({"message": message, "requestRef": request, "type": "assistant", "effort": "high"})
        output = _text(dice, _size(dice))
        result = {"tool_use_id": f"t{number}", "type": "tool_result", "content": output, "is_error": False}
        told = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
        lines.append(
            {
                "promptId": request,
                "type": "user",
                "message": {"role": "user", "content": [result]},
                "toolUseResult": told,
                "sourceToolAssistantUUID": last,
            }
        )
        for line in lines:
            own, last = {"parentUuid": last, "isSidechain": False}, _name(dice)
            yield {**own, **line, "uuid": last, "timestamp": "2026-11-15T06:36:41.493Z", **fixed}


def _codex(dice: random.Random) -> Iterator[dict[str, object]]:
    """The lines and fields that Codex 0.166 writes for a prompt, an answer, a command and its end."""
    thread, turn = _name(dice), _name(dice)
    meta = {"id": thread, "cwd": "/home/alice/app", "cli_version": "0.166.0", "history_mode": "paginated"}
    yield {"timestamp": "2026-11-15T06:35:36.100Z", "ordinal": 0, "type": "session_meta", "payload": meta}
    number = ordinal = 0
    while True:
        number += 1
        for kind, payload in _codex_step(dice, number, thread, turn):
            ordinal += 1
            yield {
                "timestamp": "2026-11-15T06:35:36.100Z",
                "ordinal": ordinal,
                "type": kind,
                "payload": payload,
            }


def _codex_step(
    dice: random.Random, number: int, thread: str, turn: str
) -> Iterator[tuple[str, dict[str, object]]]:
    beside = {"internal_chat_message_metadata_passthrough": {"turn_id": turn, "create_time": 1794724536.13}}
    if number % 20 == 1:
        words = [{"type": "input_text", "text": _text(dice, 200)}]
        yield "response_item", {"type": "message", "role": "user", "content": words, **beside}
    words = [{"type": "output_text", "text": _text(dice, 300), "annotations": []}]
    yield (
        "response_item",
        {"type": "message", "status": "completed", "role": "assistant", "content": words, **beside},
    )
    command, call = _text(dice, 60), f"call_{number}"
    yield (
        "response_item",
        {
            "type": "function_call",
            "name": "exec_command",
            "call_id": call,
            "arguments": json.dumps({"cmd": command}),
            **beside,
        },
    )
    output, code = _text(dice, _size(dice)), 0 if number % 7 else 1
    item = {
        "type": "CommandExecution",
        "id": call,
        "command": ["/bin/bash", "-lc", command],
        "status": "completed",
        "cwd": "file:///home/alice/app",
        "aggregated_output": output,
        "exit_code": code,
    }
    yield "event_msg", {"type": "item_completed", "thread_id": thread, "turn_id": turn, "item": item}
    framed = f"Wall time: 0.1 seconds\nProcess exited with code {code}\nOutput:\n{output}"
    yield "response_item", {"type": "function_call_output", "call_id": call, "output": framed, **beside}
    usage = {"input_tokens": 900, "cached_input_tokens": 800, "output_tokens": 30, "total_tokens": 930}
    info = {"total_token_usage": usage, "last_token_usage": usage, "model_context_window": 258400}
    yield (
        "event_msg",
        {"type": "token_count", "info": info, "rate_limits": {"primary": None, "secondary": None}},
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--megabytes", type=float, default=1000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--markdown", action="store_true")
    asked = parser.parse_args()
    rows: list[list[str]] = []
    with tempfile.TemporaryDirectory(prefix="sharpen-") as folder:
        for name in FORMAT_NAMES:
            rows += of_format(name, Path(folder), asked.megabytes, asked.runs)
    head = ["sessions", "job", "MB/s", "ratio", "at least", "peak MB", "peak MB of a tenth", ""]
    print(table(head, rows, markdown=asked.markdown))
    print(f"redaction finds with {best_engine()}", file=sys.stderr)
    sys.exit(any(row[-1] == "no" for row in rows))


def of_format(name: str, folder: Path, megabytes: float, runs: int) -> list[list[str]]:
    whole, tenth = folder / f"whole.{name}.jsonl", folder / f"tenth.{name}.jsonl"
    for path, size in ((whole, megabytes), (tenth, megabytes / 10)):
        print(f"generating {size:g} MB of {name}", file=sys.stderr)
        generate(path, size, name)
    taken: dict[str, list[tuple[float, float, float]]] = {job: [] for job, _, _ in JOBS}
    for _ in range(runs):
        for job, run, _ in JOBS:
            taken[job].append(measure(run, whole))
    rows = []
    base = min(times[0] for times in taken["json.loads"])
    for job, run, bound in JOBS:
        processor, peak = min(times[0] for times in taken[job]), max(times[2] for times in taken[job])
        small = measure(run, tenth)[2]
        ratio = base / processor
        good = bound is None or (ratio >= bound and peak <= FLAT * small)
        rate = f"{whole.stat().st_size / processor / 1e6:,.0f}"
        rows.append(
            [
                name,
                job,
                rate,
                f"{ratio:.2f}",
                "" if bound is None else f"{bound:g}",
                f"{peak:.0f}",
                f"{small:.0f}",
                "" if bound is None else "ok" if good else "no",
            ]
        )
    whole.unlink()
    tenth.unlink()
    return rows


if __name__ == "__main__":
    main()
