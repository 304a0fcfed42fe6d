"""Clients whose folder a variable has moved: what is installed into the home is found there, too."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from loopback import LoopbackModel, Say
from sharpen.clients import CLIENTS, Client, Order

from .live import PATIENCE, Place, endpoint_of

pytestmark = pytest.mark.clients

MOVED = [client for client in CLIENTS.values() if client.verified and client.home]
SKILL = '---\nname: "house-rules"\ndescription: "ZEBRA-DESCRIPTION; use when writing files"\n---\n\n# Rules\n'


@dataclass(frozen=True)
class MovedPlace(Place):
    """A user whose client keeps its things elsewhere."""

    variable: str = ""

    @property
    def elsewhere(self) -> Path:
        return self.home / "else where"

    @property
    def environment(self) -> dict[str, str]:
        return {**super().environment, self.variable: str(self.elsewhere)}

    def where(self, client: Client, path: str) -> Path:
        """A file of the client's, with its folder moved."""
        moved = client.home[1] if client.home else ""
        return (
            self.elsewhere / path.removeprefix(moved).lstrip("/")
            if path.startswith(moved)
            else self.home / path
        )


@pytest.mark.parametrize("client", MOVED, ids=lambda client: client.name)
def test_a_skill_in_the_home_is_found_by_a_client_that_was_moved(client, tmp_path, binary_of):
    binary = binary_of(client)
    plain = Place.made_in(tmp_path)
    place = MovedPlace(plain.home, plain.project, plain.temporary, client.home[0])
    place.elsewhere.mkdir()
    library = place.home / "library/house-rules"
    library.mkdir(parents=True)
    (library / "SKILL.md").write_text(SKILL)
    place.sharpen("install", str(library), "--to", client.name, "--scope", "user")
    with LoopbackModel(lambda ask: Say("hello")) as model:
        order = Order("Say hello", "gemini-2.5-flash", client.wires[0], endpoint_of(client, model))
        launch = client.launch(order)
        for name, text in launch.files.items():
            place.where(client, name).parent.mkdir(parents=True, exist_ok=True)
            place.where(client, name).write_text(text)
        environment = {**place.environment_with(str(Path(binary).parent)), **launch.environment}
        environment[client.key_variable] = "no-key"
        done = subprocess.run(
            [binary, *launch.arguments],
            cwd=place.project,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert "ZEBRA-DESCRIPTION" in model.requests[-1].ask.body
    place.sharpen("uninstall", "--scope", "user")
    assert not [path for path in place.home.rglob("house-rules*") if library not in (path, *path.parents)]
