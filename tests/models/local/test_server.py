"""The real model behind the real server: answers alike, asks for its key, and leaves nothing running."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from sharpen.errors import ProviderError
from sharpen.models.errors import ModelError
from sharpen.models.local import LocalServer, model_file, pull_engine, server_for
from sharpen.models.local.catalogue import SMOLLM2

from .parcels import TOY, Shop

PROMPTS = ("Name a colour.", "Q: In which year? The mill in Porto was sold in 1931.\nA:")


@pytest.fixture(scope="module")
def server(real_cache: Path) -> Iterator[LocalServer]:
    server = server_for("smollm2", replicas=2, context=1024)
    asyncio.run(server.start())
    yield server
    server.close()


def answer(url: str, key: str, prompt: str, **how: object) -> str:
    body = {"messages": [{"role": "user", "content": prompt}], "max_tokens": 8, **how}
    request = urllib.request.Request(
        f"{url}/chat/completions",
        json.dumps(body).encode(),
        {"Authorization": f"Bearer {key}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as reply:
        return str(json.load(reply)["choices"][0]["message"]["content"])


def is_gone(process: int) -> bool:
    for _ in range(100):
        status = Path(f"/proc/{process}/stat")
        if not status.exists() or status.read_text().rsplit(")", 1)[1].split()[0] == "Z":
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("how", [{"temperature": 0}, {"temperature": 0.8, "seed": 7}])
def test_every_replica_gives_the_same_answer_again(server: LocalServer, how: dict[str, object]) -> None:
    """The other prompt in between would show through if anything were remembered."""
    told: dict[str, set[str]] = {prompt: set() for prompt in PROMPTS}
    for url in server.base_urls * 2:
        for prompt in PROMPTS:
            told[prompt].add(answer(url, server.api_key, prompt, **how))
    assert [len(answers) for answers in told.values()] == [1, 1]


def test_another_seed_gives_another_answer(server: LocalServer) -> None:
    told = {
        answer(server.base_url, server.api_key, PROMPTS[0], temperature=1.0, seed=seed) for seed in range(4)
    }
    assert len(told) > 1


def test_only_who_has_the_key_is_answered(server: LocalServer) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        answer(server.base_url, "guessed", PROMPTS[0])
    assert refused.value.code == 401
    refused.value.close()


def test_it_listens_on_loopback_under_its_name(server: LocalServer) -> None:
    assert all(url.startswith("http://127.0.0.1:") and url.endswith("/v1") for url in server.base_urls)
    assert len(set(server.base_urls)) == server.replicas == 2
    assert server.name == "smollm2"


def test_the_key_is_in_no_command_line(server: LocalServer) -> None:
    shown = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not any(server.api_key.encode() in line for line in shown)


def test_many_who_start_it_at_once_get_one_server(real_cache: Path) -> None:
    async def asked() -> set[tuple[str, ...]]:
        server = server_for("smollm2", replicas=1, context=512)

        async def addresses() -> tuple[str, ...]:
            if not server.is_running:
                await server.start()
            return server.base_urls

        try:
            return set(await asyncio.gather(*(addresses() for _ in range(5))))
        finally:
            await server.aclose()

    ((url,),) = asyncio.run(asked())
    assert url.startswith("http://127.0.0.1:")


def test_closing_ends_the_processes_and_it_can_start_again(real_cache: Path) -> None:
    async def twice() -> list[str]:
        server = server_for("smollm2", replicas=1, context=512)
        told = []
        for _ in range(2):
            await server.start()
            await server.start()
            told.append(answer(server.base_url, server.api_key, PROMPTS[1], temperature=0))
            before = server.base_url
            await server.aclose()
            await server.aclose()
            assert not server.is_running
            with pytest.raises(urllib.error.URLError):
                answer(before, server.api_key, PROMPTS[1])
        return told

    first, second = asyncio.run(twice())
    assert first == second


def test_a_server_nobody_holds_any_more_is_ended(real_cache: Path) -> None:
    server = server_for("smollm2", replicas=1, context=512)
    asyncio.run(server.start())
    url, key = server.base_url, server.api_key
    del server
    gc.collect()
    with pytest.raises(urllib.error.URLError):
        answer(url, key, PROMPTS[0])


OWNER = """
import asyncio, sys
from sharpen.models.local import server_for

async def main():
    server = server_for("smollm2", replicas=1, context=512)
    await server.start()
    print(*(child._process.pid for child in server._children), flush=True)
    await asyncio.sleep(600)

try:
    asyncio.run(main())
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks processes up in /proc")
@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_children_die_with_their_parent(real_cache: Path, blow: signal.Signals) -> None:
    with subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        children = [int(number) for number in owner.stdout.readline().split()]
        assert len(children) == 1
        os.kill(owner.pid, blow)
        owner.wait()
    assert all(is_gone(child) for child in children)


def test_a_file_that_is_no_model_is_refused_before_anything_starts(tmp_path: Path) -> None:
    path = tmp_path / "notes.gguf"
    path.write_text("shopping list")
    with pytest.raises(ModelError, match="is not a GGUF file"):
        server_for(path)
    with pytest.raises(ModelError, match="there is no model file"):
        server_for("somewhere/else.gguf")
    with pytest.raises(ModelError, match="did you mean 'smollm2'"):
        server_for("smollm")


def test_a_damaged_model_is_told_with_the_engines_words(real_cache: Path, tmp_path: Path) -> None:
    path = tmp_path / "damaged.gguf"
    path.write_bytes(TOY)
    server = server_for(path, replicas=1)
    with pytest.raises(ProviderError, match=r"damaged\.gguf.*while starting.*It said") as caught:
        asyncio.run(server.start())
    assert not server.is_running
    assert server.api_key not in str(caught.value)


def test_a_model_by_its_path(real_cache: Path, tmp_path: Path) -> None:
    path = tmp_path / "my own.gguf"
    path.symlink_to(model_file(SMOLLM2))

    async def go() -> str:
        server = server_for(path, replicas=1, context=512)
        await server.start()
        assert server.name == "my own"
        try:
            return answer(server.base_url, server.api_key, PROMPTS[1], temperature=0)
        finally:
            await server.aclose()

    assert "1931" in asyncio.run(go())


@pytest.mark.parametrize("wrong", [{"replicas": 0}, {"context": 10}, {"context": 100_000}])
def test_impossible_sizes_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ModelError):
        server_for("smollm2", **wrong)


def test_the_child_sees_no_keys_of_the_user(real_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-1")
    server = server_for("smollm2", replicas=1, context=512)
    asyncio.run(server.start())
    try:
        (child,) = server._children
        assert b"sk-canary-1" not in Path(f"/proc/{child._process.pid}/environ").read_bytes()
    finally:
        server.close()


def test_an_engine_that_is_there_needs_no_index(
    real_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in Shop(tmp_path).environ.items():
        monkeypatch.setenv(name, value)
    assert (pull_engine() / "xllamacpp").is_dir()


@pytest.mark.skipif(find_spec("xllamacpp") is not None, reason="the engine is installed here")
def test_an_engine_that_cannot_be_had_is_named(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in Shop(tmp_path).environ.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ProviderError, match=r"xllamacpp.*could not be downloaded"):
        pull_engine()


def test_a_server_that_takes_too_long_is_stopped_and_named(
    real_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sharpen.models.local.server.PATIENCE", 0.0)
    server = server_for("smollm2", replicas=1, context=512)
    with pytest.raises(ProviderError, match="was not ready after"):
        asyncio.run(server.start())
    assert not server.is_running
