"""A sink in front of a sink: everything told is redacted, then cut to a bearable length, then passed on.
What was taken out of a session is counted, by kind.

The order matters: a secret that is cut in two matches nothing. Nothing reaches the inner sink that has not
been through here, names of folders and tools included.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from sharpen.redaction import Redactor
from sharpen.traces.privacy import Privacy
from sharpen.traces.telling import About, Ending, Sink, Track, when
from sharpen.traces.trajectory import Content, Facts, Result, Step, ToolCall

LONGEST_TEXT = 200_000
"""Characters of one text that are kept at most; outputs that long lose their middle."""
LONGEST_ERROR = 2000
"""Characters of an error: they stand in every list of what went wrong."""
_HEAD = 1 / 3  # of what is kept comes from the beginning: errors and results stand at the end
_QUESTION = re.compile(r"\A\s*(?:whoami|id -un|logname|echo \"?\$(?:USER|LOGNAME)\"?)\s*\Z")
_ANSWER = re.compile(r"(?:\A|\n|\\)([\w.-]+)\s*\Z")
LONGEST_QUESTION = 40  # characters; longer commands ask for something else
_NAMES_SECRET = re.compile(r"pass|secret|token|key|cred|pwd|auth", re.IGNORECASE)
LONGEST_COMMAND = 400  # characters of a command that is looked at together with what it printed


class Cleaning:
    """Passes sessions on without what is private in them."""

    def __init__(self, sink: Sink, privacy: Privacy, *, longest: int = LONGEST_TEXT) -> None:
        self._sink, self._privacy, self._longest = sink, privacy, longest
        self._counted = Counter(privacy.found)

    def taken(self) -> Counter[str]:
        """What was taken out since this was asked last; sessions are told by turns, each asks for its own."""
        found = self._privacy.found
        if found.total() == self._counted.total():
            return Counter()
        new, self._counted = found - self._counted, Counter(found)
        return new

    def begin(self, about: About) -> Track:
        self._privacy.learn_from_path(about.project)
        clean = self._privacy.redact
        cleaned = replace(
            about,
            client=clean(about.client),
            session_id=clean(about.session_id),
            version=clean(about.version),
            model=clean(about.model),
            project=clean(about.project),
            started=when(about.started) or "",
            parent=clean(about.parent),
            revision=when(about.revision) or "",
            facts=_mapping(self._privacy, about.facts, self._longest),
        )
        return _CleanTrack(self, self._sink.begin(cleaned), self._privacy, self._longest)


class _CleanTrack:
    def __init__(self, cleaning: Cleaning, track: Track, privacy: Privacy, longest: int) -> None:
        self._cleaning, self._track = cleaning, track
        self._privacy, self._longest = privacy, longest
        self._taken = cleaning.taken()

    def place(self, number: int, step: Step) -> None:
        for name in names_told(step):
            self._privacy.learn(name)
        cleaned = clean_step(step, self._privacy, longest=self._longest)
        self._taken += self._cleaning.taken()
        self._track.place(number, cleaned)

    def keep(self, count: int) -> None:
        self._track.keep(count)

    def end(self, ending: Ending) -> None:
        privacy, spent = self._privacy, ending.spent
        listed = ending.skills_listed
        cleaned = replace(
            ending,
            spent=spent and replace(spent, facts=_mapping(privacy, spent.facts, self._longest)),
            skills_listed=None if listed is None else tuple(map(privacy.redact, listed)),
            errors=tuple(clip(privacy.redact(error), LONGEST_ERROR) for error in ending.errors),
            model=privacy.redact(ending.model),
            facts=_mapping(privacy, ending.facts, self._longest),
        )
        self._taken += self._cleaning.taken()
        self._track.end(replace(cleaned, redactions=self._taken))


def names_told(step: Step) -> list[str]:
    """The user's name, where a command asked for it and was answered."""
    asking = {call.tool_call_id for call in step.tool_calls if _asks_for_name(call)}
    answers = (result.content for result in step.results if result.source_call_id in asking)
    found = (_ANSWER.search(answer) for answer in answers if isinstance(answer, str))
    return [answer[1] for answer in found if answer]


def _asks_for_name(call: ToolCall) -> bool:
    said = (value for value in call.arguments.values() if isinstance(value, str))
    return any(len(text) < LONGEST_QUESTION and _QUESTION.search(text) for text in said)


def clean_step(step: Step, redactor: Redactor, *, longest: int = LONGEST_TEXT) -> Step:
    """The step without what the redactor takes out, no text in it longer than `longest` characters."""

    def text(value: str) -> str:
        return clip(redactor.redact(value), longest)

    def content(value: Content) -> Content:
        if isinstance(value, str):
            return text(value)
        return tuple(_mapping(redactor, part, longest) for part in value)

    def facts(value: Facts) -> Facts:
        return _mapping(redactor, value, longest) if value else value

    def call(value: ToolCall) -> ToolCall:
        name = text(value.function_name)
        return ToolCall(text(value.tool_call_id), name, facts(value.arguments), facts(value.extra))

    calls = tuple(map(call, step.tool_calls))
    questions = {call.tool_call_id: question for call in calls if (question := _names_secret(call))}

    def result(value: Result) -> Result:
        answered = value.source_call_id and text(value.source_call_id)
        words = None if value.content is None else content(value.content)
        if isinstance(words, str) and answered in questions:
            words = _printed(questions[answered], words, redactor)
        inner = tuple(map(facts, value.subagent_trajectory_ref))
        return Result(words, answered, inner, facts(value.extra))

    thoughts, effort, metrics = step.reasoning_content, step.reasoning_effort, step.metrics
    if metrics is not None and metrics.extra:
        metrics = replace(metrics, extra=facts(metrics.extra))
    return Step(
        step.source,
        content(step.message),
        step.timestamp,
        None if step.model_name is None else text(step.model_name),
        text(effort) if isinstance(effort, str) else effort,
        None if thoughts is None else text(thoughts),
        calls,
        tuple(map(result, step.results)),
        metrics,
        step.is_copied_context,
        step.llm_call_count,
        facts(step.extra),
    )


def _names_secret(call: ToolCall) -> str:
    """The command of a call, where it is one line that names a secret: it may have asked for it."""
    for value in call.arguments.values():
        words = value[-1] if isinstance(value, list) and value else value
        if isinstance(words, str) and len(words) <= LONGEST_COMMAND and _NAMES_SECRET.search(words):
            return "" if "\n" in words else words
    return ""


def _printed(command: str, output: str, redactor: Redactor) -> str:
    """The output, judged with the command before it, as in a terminal; both were looked at alone before."""
    _, line_end, rest = redactor.redact(f"$ {command}\n{output}").partition("\n")
    return rest if line_end else output


def clip(text: str, longest: int) -> str:
    """The text in at most about `longest` characters: its middle goes, and a mark says how much went."""
    if len(text) <= longest:
        return text
    head = int(longest * _HEAD)
    tail = longest - head
    return f"{text[:head]}\n[… {len(text) - longest:,} characters left out …]\n{text[-tail:]}"


def _mapping(redactor: Redactor, value: Mapping[str, object], longest: int) -> dict[str, object]:
    cleaned = _clipped(redactor.redact_json(value), longest) if value else {}
    return cleaned if isinstance(cleaned, dict) else {}


def _clipped(value: object, longest: int) -> object:
    if isinstance(value, str):
        return clip(value, longest)
    if isinstance(value, dict):
        return {name: _clipped(item, longest) for name, item in value.items()}
    return [_clipped(item, longest) for item in value] if isinstance(value, list) else value
