"""A real client in a home and a project that stay: what was installed there is what it finds.

`scenario.py` throws its folders away after every attempt; these tests install something first and look at
the folders afterwards. Configuration that points the client at the loopback model is merged into what the
home already holds, as a user's would be.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from loopback import LoopbackModel, Script
from sharpen.clients import Client, Order

PATIENCE = 400.0
"""Seconds one run of a client may take on a busy machine."""


@dataclass(frozen=True)
class Place:
    """A user's home and one project in it."""

    home: Path
    project: Path
    temporary: Path

    @classmethod
    def made_in(cls, root: Path) -> Place:
        home = root / "home"
        made = cls(home, home / "project", root / "tmp")
        made.project.mkdir(parents=True)
        made.temporary.mkdir()  # beside the home: Codex trusts no home below the temporary folder
        return made

    @property
    def environment(self) -> dict[str, str]:
        """What a shell of that user would have: sharpen on PATH, and a home that is nobody's."""
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        home, temporary = str(self.home), str(self.temporary)
        return {"HOME": home, "TMPDIR": temporary, "PATH": path, "LANG": "C.UTF-8", "TERM": "dumb"}

    def environment_with(self, path: str) -> dict[str, str]:
        """The same with another folder of programs first."""
        return {**self.environment, "PATH": os.pathsep.join([path, self.environment["PATH"]])}

    def sharpen(
        self, *arguments: str, path: str = "", check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """The program as that user would type it, in the project's folder."""
        done = subprocess.run(
            [sys.executable, "-m", "sharpen", *arguments],
            cwd=self.project,
            env=self.environment_with(path) if path else self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=2 * PATIENCE,
            check=False,
        )
        assert done.returncode == 0 or not check, done.stderr
        return done


def run(
    client: Client, binary: str, place: Place, *, prompt: str, script: Script, extra: tuple[str, ...] = ()
) -> tuple[LoopbackModel, subprocess.CompletedProcess[str]]:
    """One run of the client in the project, against a fresh scripted model."""
    with LoopbackModel(script) as model:
        return model, run_with(model, client, binary, place, prompt=prompt, extra=extra)


def run_with(
    model: LoopbackModel,
    client: Client,
    binary: str,
    place: Place,
    *,
    prompt: str,
    extra: tuple[str, ...] = (),
    without: tuple[str, ...] = (),
) -> subprocess.CompletedProcess[str]:
    """One run against a model that is there already; `without` leaves out some of the usual arguments."""
    url = endpoint_of(client, model)
    order = Order(prompt, "gemini-2.5-flash", client.wires[0], url, extra_arguments=extra)
    launch = client.launch(order)
    for name, text in launch.files.items():
        _merge(place.home / name, text)
    environment = {**place.environment_with(str(Path(binary).parent)), **launch.environment}
    environment[client.key_variable] = "no-key"
    return subprocess.run(
        [binary, *(argument for argument in launch.arguments if argument not in without)],
        cwd=place.project,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def scope_of(client: Client) -> str:
    """Where hooks are tried: Kimi takes the home's only, Codex and Copilot a project's once it is trusted."""
    return "user" if client.name in ("kimi", "codex", "copilot") else "project"


def endpoint_of(client: Client, model: LoopbackModel) -> str:
    """The model's address as the client wants it: some add the version of the protocol themselves."""
    return model.url if client.wires[0] in ("messages", "gemini") else model.url + "/v1"


def _merge(path: Path, text: str) -> None:
    """The run's configuration under what is there already; TOML tables of one's own are put below."""
    path.parent.mkdir(parents=True, exist_ok=True)
    there = path.read_text() if path.exists() else ""
    if path.suffix == ".json" and there:
        path.write_text(json.dumps({**json.loads(text), **json.loads(there)}))
    elif text not in there:
        path.write_text(text + there)
