"""The program in an empty folder, and a school on loopback that SkillOpt's environment variables lead to."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

import pytest

from cli.conftest import Program, here, program
from loopback import Ask, LoopbackModel, School

__all__ = ["Program", "here", "program"]
Serve = Callable[[School], LoopbackModel]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts a school; what the program writes into the environment is forgotten afterwards."""
    with patch.dict(os.environ), ExitStack() as running:

        def start(school: School) -> LoopbackModel:
            model = running.enter_context(LoopbackModel(school))
            os.environ["OPENAI_COMPATIBLE_BASE_URL"] = f"{model.url}/v1"
            os.environ["OPENAI_COMPATIBLE_API_KEY"] = "none"
            os.environ["TARGET_OPENAI_COMPATIBLE_MODEL"] = "student"
            os.environ["OPTIMIZER_OPENAI_COMPATIBLE_MODEL"] = "teacher"
            return model

        yield start


def images_in(ask: Ask) -> list[Any]:
    """The pictures that go along with a request."""
    parts = [part for message in json.loads(ask.body)["messages"] for part in message["content"] or ()]
    return [part for part in parts if isinstance(part, dict) and part.get("type") == "image_url"]
