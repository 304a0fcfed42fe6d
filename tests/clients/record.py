"""Records what the real clients print, for the tests of the stream readers.

    cd tests && SHARPEN_CLIENTS=../.cache/clients python -m clients.record traces/data

Each client plays the scenario once with its skill and once against a model that refuses it. Folder names are
replaced, long strings are cut in the middle, and long lines that no reader looks at are left out.
`write_clean` does the same to a session file from any other run, such as those in `data/sessions/`.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

from sharpen.clients import CLIENTS, Client

from .scenario import TASKS, play

LONGEST = 300
WRAPPER = """#!/bin/sh
export PATH="$(dirname {binary}):$PATH"
case "$*" in *--version*) exec {binary} "$@";; esac
{binary} "$@" > {folder}/stdout
code=$?
cat {folder}/stdout
cp -r "$HOME" {folder}/home
dirname "$HOME" > {folder}/root
exit $code
"""


def record(client: Client, binary: str, name: str, target: Path, **options: object) -> None:
    """Play once through a wrapper that keeps what it saw, and write it cleaned."""
    with tempfile.TemporaryDirectory() as folder:
        wrapper = Path(folder, client.binaries[0])
        wrapper.write_text(WRAPPER.format(binary=binary, folder=folder))
        wrapper.chmod(0o755)
        play(client, str(wrapper), TASKS[0], **options)
        root = Path(folder, "root").read_text().strip()
        write_clean(Path(folder, "stdout"), target / f"{client.name}_{name}.jsonl", root)
        for path in Path(folder, "home").glob(client.session_files or "none") if name == "solved" else ():
            write_clean(path, target / f"{client.name}_{name}_session.jsonl", root)


def write_clean(source: Path, target: Path, root: str) -> None:
    """A file of JSON lines as it may be kept: without the vendor's prompts and this machine's folders."""
    lines = [json.loads(line) for line in source.read_text().split("\n") if line.strip()]
    texts = [json.dumps(_short(line, root), ensure_ascii=False) + "\n" for line in lines if _counts(line)]
    target.write_text("".join(texts))


UNREAD = (
    *("session.background_tasks_changed", "llm.tools_snapshot", "profile.bind", "agent.message.appended"),
    *("world_state", "api-request", "api-request-blob", "api-request-shape", "tools-used", "atis-latch"),
)
READ_ATTACHMENTS = ("queued_command", "skill_listing")


def _counts(line: dict[str, object]) -> bool:
    """Without the lines that are long or many and that no reader looks at."""
    attachment = line.get("attachment")
    if isinstance(attachment, dict) and attachment.get("type") not in READ_ATTACHMENTS:
        return False
    return line.get("type") not in UNREAD


def _short(value: object, root: str) -> object:
    if isinstance(value, dict):
        return {key: _short(item, root) for key, item in value.items()}
    if isinstance(value, list):
        return [_short(item, root) for item in value[:20]]
    if isinstance(value, str):
        value = value.replace(root, "/home/dev").replace(
            root.replace("/", "-").replace("_", "-"), "-home-dev"
        )
        half = LONGEST // 2
        return value if len(value) <= LONGEST else f"{value[:half]} … {value[-half:]}"
    return value


if __name__ == "__main__":
    bin_folder = Path(os.environ["SHARPEN_CLIENTS"]).resolve() / "node_modules" / ".bin"
    for known in CLIENTS.values():
        if known.verified and (len(sys.argv) < 3 or known.name in sys.argv[2:]):
            there = str(bin_folder / known.binaries[0])
            record(known, there, "solved", Path(sys.argv[1]))
            record(known, there, "refused", Path(sys.argv[1]), failing=401)
