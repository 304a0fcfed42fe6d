"""The child process: llama.cpp's own server on loopback, alive exactly as long as its parent.

Started as `python -m sharpen.models.local.serve`. One line of JSON on standard input says what to serve, so
that the key shows in no process list; one line on standard output says where. When standard input ends, the
parent is gone and so is this process. Everything that could make an answer depend on earlier ones is off.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import threading
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Order:
    """What one child is told to serve."""

    model: str
    api_key: str
    context: int
    engine: str
    alias: str

    def to_json(self) -> str:
        return json.dumps(asdict(self))


def main() -> None:
    order = Order(**json.loads(sys.stdin.readline()))
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    if order.engine not in sys.path:
        sys.path.append(order.engine)
    engine = importlib.import_module("xllamacpp")
    server = engine.Server(_parameters(engine, order))
    sys.stdout.write(json.dumps({"address": server.listening_address}) + "\n")
    sys.stdout.flush()
    threading.Event().wait()


def _parameters(engine: Any, order: Order) -> Any:  # the engine has no types of its own
    wanted = engine.CommonParams()
    wanted.model.path, wanted.model_alias = order.model, {order.alias}
    wanted.hostnames, wanted.port = ["127.0.0.1"], 0
    wanted.api_keys = [order.api_key]
    wanted.n_ctx, wanted.use_jinja, wanted.warmup = order.context, True, False
    # One sequence, one thread, no memory of earlier prompts: the same request gets the same answer, because a
    # prompt evaluated in other batches rounds differently. Two threads on busy cores are also much slower.
    wanted.n_parallel, wanted.cpuparams.n_threads, wanted.cpuparams_batch.n_threads = 1, 1, 1
    wanted.cache_prompt, wanted.cache_ram_mib, wanted.n_ctx_checkpoints = False, 0, 0
    wanted.n_gpu_layers = 0
    wanted.fit_params = False  # the context asked for, not the one that suits the free memory
    wanted.ui = wanted.endpoint_slots = False
    wanted.verbosity = 1  # errors only
    return wanted


def _leave_with_parent() -> None:
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
