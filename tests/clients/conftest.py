"""Where the real clients are: the folder that SHARPEN_CLIENTS names; without it their tests are skipped."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sharpen.agents.coding import find_binary
from sharpen.clients import Client
from sharpen.errors import SettingsError


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "clients: drives real coding agents; run with `make test-clients`")


@pytest.fixture(scope="session")
def binary_of():
    """The path of a client's binary in the clients' folder; skips with the reason when it is not usable."""

    def find(client: Client) -> str:
        folder = os.environ.get("SHARPEN_CLIENTS")
        if not folder:
            pytest.skip("real clients run with `make test-clients`")
        path = Path(folder).resolve() / "node_modules" / ".bin" / client.binaries[0]
        try:
            return str(find_binary(client, str(path)).path)
        except SettingsError as error:
            if "SHARPEN_CLIENTS_STRICT" in os.environ and "needs Node" not in str(error):
                raise
            pytest.skip(str(error))

    return find
