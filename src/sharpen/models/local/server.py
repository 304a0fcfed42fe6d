"""A model being served: child processes with llama.cpp's server, started when needed, gone with their owner.

Each replica is a process with one thread of its own; all answer alike, so whichever is free may be asked.
Children end when they are told to, when this process ends, and when it is killed (their standard input is a
pipe from here). What is asked of them, this module does not know.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from sharpen.errors import ProviderError
from sharpen.models.errors import ModelError
from sharpen.models.local.cache import Progress, ignore
from sharpen.models.local.catalogue import CATALOGUE, DEFAULT, LocalModel, find_model
from sharpen.models.local.engine import pull_engine
from sharpen.models.local.gguf import read_header
from sharpen.models.local.pull import pull
from sharpen.models.local.serve import Order

CONTEXT = 4096
REPLICAS = 2
"""Most replicas that are started unasked; fewer on a machine with fewer cores."""
PATIENCE = 120.0
"""Seconds a model may take to load."""
FAREWELL = 5.0
"""Seconds a child has to end by itself."""
SAID = 800


def server_for(
    model: str | Path = DEFAULT,
    *,
    replicas: int | None = None,
    context: int = CONTEXT,
    progress: Progress = ignore,
) -> LocalServer:
    """A server, not started yet, for a model of the catalogue or a GGUF file by its path."""
    known = _named(model)
    if known is None:
        read_header(Path(model))
    count = min(REPLICAS, os.cpu_count() or 1) if replicas is None else replicas
    if count < 1:
        raise ModelError(f"a local model needs at least one replica, not {count}")
    if context < 256 or (known is not None and context > known.context):
        most = known.context if known is not None else "what its model was made for"
        raise ModelError(f"the context must lie between 256 tokens and {most}, not {context}")
    return LocalServer(known or Path(model).absolute(), count, context, progress)


def _named(model: str | Path) -> LocalModel | None:
    """A name of the catalogue; None for a path. Whatever looks like neither is taken for a misspelt name."""
    if isinstance(model, str) and model in CATALOGUE:
        return CATALOGUE[model]
    text = str(model)
    is_path = (
        isinstance(model, Path) or text.lower().endswith(".gguf") or os.sep in text or Path(text).exists()
    )
    return None if is_path else find_model(text)


class LocalServer:
    """Replicas of one model at addresses on loopback: start, ask, close; it can be started again."""

    def __init__(self, model: LocalModel | Path, replicas: int, context: int, progress: Progress) -> None:
        self._model, self._context, self._progress = model, context, progress
        self._replicas = replicas
        self._children: list[_Child] = []
        self._starting = threading.Lock()
        self.api_key = secrets.token_urlsafe(24)

    @property
    def name(self) -> str:
        """The model's name in requests and answers."""
        return self._model.name if isinstance(self._model, LocalModel) else self._model.stem

    @property
    def replicas(self) -> int:
        return self._replicas

    @property
    def is_running(self) -> bool:
        return bool(self._children) and all(child.is_alive for child in self._children)

    @property
    def base_urls(self) -> tuple[str, ...]:
        """One OpenAI-compatible address per replica."""
        if not self._children:
            raise ModelError(f"the server for {self.name} is not running; start it first")
        return tuple(child.base_url for child in self._children)

    @property
    def base_url(self) -> str:
        return self.base_urls[0]

    async def start(self) -> None:
        """Fetch what is missing, start the replicas, return when they answer; nothing to do if they run."""
        starting = asyncio.get_running_loop().run_in_executor(None, self._start)
        try:
            await asyncio.shield(starting)
        except asyncio.CancelledError:
            starting.add_done_callback(lambda done: self.close() if not done.exception() else None)
            raise

    async def aclose(self) -> None:
        await asyncio.to_thread(self.close)

    def close(self) -> None:
        """End all replicas; safe at any time and more than once."""
        children, self._children = self._children, []
        _ended(children)

    def _start(self) -> None:
        with self._starting:
            if self.is_running:
                return
            self.close()
            path = pull(self._model, self._progress) if isinstance(self._model, LocalModel) else self._model
            engine = pull_engine(self._progress)
            order = Order(str(path), self.api_key, self._context, str(engine), self.name)
            self._children = _started(order, self._replicas)


def _started(order: Order, replicas: int) -> list[_Child]:
    """All of them, loaded side by side and ready; none when one of them fails."""
    children: list[_Child] = []
    try:
        for _ in range(replicas):
            children.append(_Child(order))  # noqa: PERF401 - those started before one fails must be known
        for child in children:
            child.wait_until_ready(PATIENCE)
    except BaseException:
        _ended(children)
        raise
    return children


def _ended(children: Sequence[_Child]) -> None:
    """Tell all before waiting for one."""
    for child in children:
        child.hang_up()
    for child in children:
        child.close()


class _Child:
    """One server process and the three pipes to it."""

    def __init__(self, order: Order) -> None:
        self._model = order.model
        self.base_url = ""
        self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the child
        self._process = subprocess.Popen(
            [sys.executable, "-m", "sharpen.models.local.serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            text=True,
            env=_surroundings(),
            start_new_session=True,  # Ctrl-C is for the parent, which then closes us in order
        )
        self._finish = weakref.finalize(self, _end, self._process, self._said)
        self._tell(order.to_json())

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it died at once; why, wait_until_ready tells
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()

    def wait_until_ready(self, patience: float) -> None:
        """Read the address the child prints once its model is loaded; ProviderError says why it did not."""
        assert self._process.stdout is not None
        line = _within(patience, self._process.stdout.readline)
        if line is None:
            raise ProviderError(
                f"the server for {self._model} was not ready after {patience:.0f} s and was stopped. "
                f"Is the machine short of memory? {self._words()}"
            )
        if not line.startswith("{"):
            self._process.wait()
            raise ProviderError(
                f"the server for {self._model} ended with code {self._process.returncode} while starting. "
                f"The file may be damaged or of a kind this engine does not know. {self._words()}"
            )
        self.base_url = json.loads(line)["address"] + "/v1"

    def _words(self) -> str:
        self._said.seek(0)
        words = self._said.read().decode("utf-8", "replace").strip()
        return f"It said: …{words[-SAID:]}" if words else "It said nothing."

    def hang_up(self) -> None:
        """The end of its standard input tells the child to go."""
        if self._process.stdin is not None and not self._process.stdin.closed:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()

    def close(self) -> None:
        self._finish()


def _end(process: subprocess.Popen[str], said: IO[bytes]) -> None:
    """Ask, wait, kill; then let go of the pipes. Runs at the latest when this program ends."""
    assert process.stdin is not None
    assert process.stdout is not None
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()
    try:
        process.wait(FAREWELL)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()  # only now: a reader may sit in it as long as the child lives
    said.close()


def _within(seconds: float, read: Callable[[], str]) -> str | None:
    """What `read` returns, or None when it takes longer; the reader then ends with its pipe."""
    found: list[str] = []
    reader = threading.Thread(target=lambda: found.append(read()), daemon=True)
    reader.start()
    reader.join(seconds)
    return found[0] if found else None


def _surroundings() -> dict[str, str]:
    """No provider keys, no proxies: the child needs a place to import from and a home, nothing else."""
    kept = (
        "PATH",
        "HOME",
        "LANG",
        "LC_ALL",
        "TMPDIR",
        "SYSTEMROOT",
        "TEMP",
        "TMP",
        "LD_LIBRARY_PATH",
        "VIRTUAL_ENV",
    )
    paths = os.pathsep.join(path for path in sys.path if path)
    return {**{name: os.environ[name] for name in kept if name in os.environ}, "PYTHONPATH": paths}
