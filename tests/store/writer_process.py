"""A process that writes to a run folder until it is killed or refused. Started by tests; not collected.

writer_process.py FOLDER write    attempts in batches; prints each trial once its `finish_attempt` returned
writer_process.py FOLDER hold     opens the folder, says so, and waits for a line on standard input
writer_process.py FOLDER read     prints how many attempts a reader finds
"""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path

from sharpen.errors import SharpenError
from sharpen.store import AttemptKey, SqliteStore
from sharpen.types import Rollout, Task

BATCH = 4
TASK = Task("t1")


def say(word: object) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def write(store: SqliteStore) -> None:
    rollout = Rollout.scored(TASK, hard=1, feedback="f" * 500, trajectory={"text": "x" * 1500})
    for first in count(1, BATCH):
        keys = [AttemptKey("skill-a", TASK.digest, "a-student", first + i) for i in range(BATCH)]
        keys = [key for key in keys if store.find_attempt(key, TASK) is None]
        store.start(keys)
        for key in keys:
            store.finish_attempt(key, rollout)
            say(key.trial)


def main(folder: Path, task: str) -> None:
    say("ready")
    if task == "read":
        say(len(SqliteStore.read(folder).attempts()))
        return
    store = SqliteStore.open(folder)
    say("open")
    if task == "write":
        write(store)
    else:
        sys.stdin.readline()
    store.close()


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), sys.argv[2])
    except SharpenError as error:
        say(f"{type(error).__name__}: {error}")
        sys.exit(error.exit_code)
