"""Inspect's `.eval` logs, through the `inspect_ai` package (an extra): one session per sample, scores as
verdicts.
"""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from sharpen.errors import UsageError
from sharpen.traces.lines import Events, Loose, text_of
from sharpen.traces.sources.format import Format, name_of
from sharpen.traces.telling import About, Ending, Sink, Telling

_MARKS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
"""How Inspect writes correct, incorrect, partial and no answer."""


def tell(events: Events, sink: Sink, path: Path) -> None:
    try:
        log: Any = import_module("inspect_ai.log")
    except ModuleNotFoundError:
        raise UsageError("reading .eval files needs a package: pip install 'sharpen[inspect]'") from None
    try:
        for sample in log.read_eval_log_samples(str(path), all_samples_required=False):
            _sample(sink, path, Loose(json.loads(sample.model_dump_json())))
    except (BadZipFile, EOFError, KeyError, RuntimeError, ValueError) as error:
        raise UsageError(f"Inspect could not read it: {error}") from error


def _sample(sink: Sink, path: Path, sample: Loose) -> None:
    name = f"{name_of(path)}/{sample.at('id').value}/{sample.at('epoch').value}"
    telling = Telling(sink, About("inspect", name, model=sample.text("output", "model")))
    for message in sample.items("messages"):
        text = text_of(message.at("content"))
        telling.turn()
        match message.text("role"):
            case "user":
                telling.user(text)
            case "system":
                telling.system(text)
            case "assistant":
                for part in message.items("content"):
                    telling.think(part.text("reasoning"))
                telling.say(text)
                for call in message.items("tool_calls"):
                    telling.call(call.text("id"), call.text("function"), call.mapping("arguments"))
            case "tool":
                failed = bool(message.at("error"))
                telling.result(
                    message.text("tool_call_id"), text or message.text("error", "message"), failed=failed
                )
    telling.end(Ending("failed" if sample.at("error") else "completed", _reward(sample)))


def _reward(sample: Loose) -> float | None:
    """The first score that is a number or one of Inspect's letters."""
    for score in sample.values("scores"):
        mark = _MARKS.get(score.text("value"))
        value = mark if mark is not None else score.amount("value")
        if value is not None:
            return value
    return None


INSPECT = Format(
    "inspect", "Inspect .eval logs", tell, lambda first: False, layout="database", magic=b"PK\x03\x04"
)
