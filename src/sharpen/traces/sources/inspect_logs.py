"""Inspect's logs: one session per sample, scores as verdicts.

`.eval` files are read sample by sample through the `inspect_ai` package (an extra), so that a log's size does
not matter; `.json` logs are plain and read without it. What the events of a log repeat is left unread.
"""

from __future__ import annotations

import zlib
from importlib import import_module
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from sharpen.errors import UsageError
from sharpen.traces.lines import Events, Loose, parsed
from sharpen.traces.session import Spent, total
from sharpen.traces.sources.format import Format, name_of
from sharpen.traces.sources.said import said_in
from sharpen.traces.telling import About, Ending, Sink, State, Telling

_MARKS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
"""How Inspect writes correct, incorrect, partial and no answer."""
_FIELDS = {"id", "epoch", "messages", "output", "scores", "error", "limit", "model_usage", "started_at"}
_UNREADABLE = (BadZipFile, EOFError, KeyError, NotImplementedError, RuntimeError, ValueError, zlib.error)


def tell(events: Events, sink: Sink, path: Path) -> None:
    if not _is_log(path):
        raise UsageError("it is a zip file, but no log of Inspect's")
    try:
        log: Any = import_module("inspect_ai.log")
    except ModuleNotFoundError:
        raise UsageError("reading .eval files needs a package: pip install 'sharpen[inspect]'") from None
    try:
        model = str(log.read_eval_log(str(path), header_only=True).eval.model)
        for sample in log.read_eval_log_samples(str(path), all_samples_required=False):
            _sample(sink, path, Loose(parsed(sample.model_dump_json(include=_FIELDS))), model)
    except _UNREADABLE as error:
        raise UsageError(f"Inspect could not read it: {error}") from error


def tell_json(events: Events, sink: Sink, path: Path) -> None:
    for event in events:
        if not _is_json_log(event):
            events.unread += 1
        for sample in event.items("samples"):
            _sample(sink, path, sample, event.text("eval", "model"))


def _is_log(path: Path) -> bool:
    """Whether the archive has the parts of a log; one of a run that was broken off has no header yet."""
    try:
        with ZipFile(path) as archive:
            return any(name == "header.json" or name.startswith("_journal/") for name in archive.namelist())
    except BadZipFile as error:
        raise UsageError(f"it is damaged: {error}") from error


def _is_json_log(event: Loose) -> bool:
    return bool(event.text("eval", "task")) and event.whole("version") is not None


def _sample(sink: Sink, path: Path, sample: Loose, model: str) -> None:
    name = f"{name_of(path)}/{sample.at('id').value}/{sample.at('epoch').value}"
    model = sample.text("output", "model") or model
    telling = Telling(sink, About("inspect", name, model=model, started=sample.text("started_at")))
    for message in sample.items("messages"):
        said = said_in(message)
        if said is None:
            continue
        if said.role != "tool":
            telling.turn()
        match said.role:
            case "user":
                telling.user(said.words)
            case "system":
                telling.system(said.words)
            case "agent":
                telling.think(said.thoughts)
                telling.say(said.words)
                for call in said.calls:
                    telling.call(call.name, call.tool, call.arguments, fresh=True)
        for call_name, text in said.results:
            problem = message.text("error", "message")
            telling.result(call_name, text or problem, failed=bool(message.at("error")))
    telling.end(_ending(sample))


def _ending(sample: Loose) -> Ending:
    failed, stopped = bool(sample.at("error")), bool(sample.at("limit"))
    state: State = "failed" if failed else "stopped" if stopped else "completed"
    errors = (sample.text("error", "message"),) if failed else ()
    limit = sample.text("limit", "type")
    return Ending(state, _reward(sample), _spent(sample), errors, facts={"limit": limit} if limit else {})


def _spent(sample: Loose) -> Spent | None:
    """What all models of the sample used together; Inspect counts cached tokens beside the others."""
    return total(map(_used, sample.values("model_usage")))


def _used(usage: Loose) -> Spent:
    fresh, cached = usage.whole("input_tokens"), usage.whole("input_tokens_cache_read") or 0
    written = usage.whole("input_tokens_cache_write") or 0
    prompt = None if fresh is None else fresh + cached + written
    return Spent(prompt, usage.whole("output_tokens"), cached, usd=usage.amount("total_cost"))


def _reward(sample: Loose) -> float | None:
    """The first score that is a number, a yes or no, or one of Inspect's letters."""
    for score in sample.values("scores"):
        value = score.at("value").value
        if isinstance(value, bool):
            return float(value)
        mark = _MARKS.get(score.text("value"))
        found = mark if mark is not None else score.amount("value")
        if found is not None:
            return found
    return None


INSPECT = Format("inspect", tell, lambda first: False, layout="opaque", magic=b"PK\x03\x04")
INSPECT_JSON = Format("inspect-json", tell_json, _is_json_log, layout="document")
