"""Backups and firings of these tests stay in their own folder, and no variable leads out of the homes."""

from __future__ import annotations

from pathlib import Path

import pytest

from sharpen.clients import CLIENTS


@pytest.fixture(autouse=True)
def state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    for client in CLIENTS.values():
        if client.home:
            monkeypatch.delenv(client.home[0], raising=False)
    folder = tmp_path_factory.mktemp("state")
    monkeypatch.setenv("SHARPEN_STATE", str(folder))
    return folder
