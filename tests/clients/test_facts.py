"""What is known of each client: its command line, its files, and that no key ever gets into either."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib

import pytest

from sharpen.clients import CLIENTS, Order

every_client = pytest.mark.parametrize("client", CLIENTS.values(), ids=lambda client: client.name)
PROMPT = "--help me; say \"hi\" $(now) 'then'\nnext line"


def order(client, **changes) -> Order:
    wire = client.wires[0] if client.wires else "chat"
    url = "http://127.0.0.1:9/v1" if client.wires else None
    return Order(**{"prompt": PROMPT, "model": 'm"1', "wire": wire, "base_url": url, **changes})


@every_client
def test_the_prompt_and_the_model_reach_the_client_unchanged(client):
    launch = client.launch(order(client))
    assert sum(PROMPT in argument for argument in launch.arguments) == 1
    told = " ".join(launch.arguments) + "".join(json.dumps(_parsed(*file)) for file in launch.files.items())
    assert 'm"1' in told or 'm\\"1' in told


@every_client
def test_a_prompt_that_looks_like_an_option_is_none(client):
    arguments = client.launch(order(client)).arguments
    place = next(n for n, argument in enumerate(arguments) if PROMPT in argument)
    guarded = arguments[place].startswith("--prompt=") or arguments[place - 1] in ("--", "-p")
    assert guarded, arguments


@every_client
def test_files_are_what_their_names_say(client):
    for name, text in client.launch(order(client)).files.items():
        assert _parsed(name, text)
        assert not name.startswith("/")
        assert ".." not in name


@every_client
def test_configuration_names_the_key_variable_and_the_endpoint(client):
    if not client.wires:
        return
    launch = client.launch(order(client))
    told = json.dumps([*launch.files.values(), launch.environment, launch.arguments])
    assert "http://127.0.0.1:9/v1" in told
    if launch.files and client.name != "gemini":  # these read the key through their configuration
        assert client.key_variable in told


@every_client
def test_extra_arguments_are_passed_on_and_stay_options(client):
    arguments = client.launch(order(client, extra_arguments=("--brand-new", "7"))).arguments
    assert "--brand-new" in arguments
    if "--" in arguments:
        assert arguments.index("--brand-new") < arguments.index("--")


@every_client
def test_only_permission_all_asks_for_it(client):
    least = client.launch(order(client)).arguments
    assert not {"danger-full-access", "bypassPermissions", "--allow-all"} & set(least)
    assert not any("dangerously" in argument for argument in least)


def test_permission_all_is_told_to_those_who_have_it():
    for name, word in (
        ("codex", "danger-full-access"),
        ("claude-code", "bypassPermissions"),
        ("copilot", "--allow-all"),
    ):
        assert word in CLIENTS[name].launch(order(CLIENTS[name], permission="all")).arguments


@every_client
def test_without_an_endpoint_the_client_keeps_its_own(client):
    launch = client.launch(order(client, base_url=None))
    told = json.dumps([*launch.files.values(), dict(launch.environment), launch.arguments])
    assert "127.0.0.1" not in told
    assert "COPILOT_OFFLINE" not in told


def test_cursor_as_documented():
    cursor = CLIENTS["cursor"]
    assert not cursor.verified
    assert cursor.launch(order(cursor, model="gpt-5", prompt="Do it")).arguments == (
        "--print", "--output-format", "stream-json", "--model", "gpt-5", "--force", "--", "Do it",
    )  # fmt: skip


def test_the_room_needs_the_standard_library_only():
    code = (
        "import sys, sharpen.clients; print([m for m in ('pydantic', 'rich', 'jinja2') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def _parsed(name: str, text: str) -> object:
    return tomllib.loads(text) if name.endswith(".toml") else json.loads(text)
