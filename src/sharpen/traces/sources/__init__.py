"""Readers of the sessions that agents leave behind and of the datasets made from them, one file per format.

`format.py` says what a format is. A reader tells the objects of one file to a sink (`telling.py`); it
survives whatever it meets, because `Loose` values read as absent where they are not what was expected.
"""

from __future__ import annotations

from sharpen.traces.sources.atif import ATIF
from sharpen.traces.sources.claude_code import CLAUDE_CODE
from sharpen.traces.sources.codex import CODEX
from sharpen.traces.sources.copilot import COPILOT
from sharpen.traces.sources.cursor import CURSOR
from sharpen.traces.sources.format import Format, Layout, Place
from sharpen.traces.sources.gemini import GEMINI
from sharpen.traces.sources.gemini_telemetry import GEMINI_TELEMETRY
from sharpen.traces.sources.inspect_logs import INSPECT, INSPECT_JSON
from sharpen.traces.sources.kimi import KIMI
from sharpen.traces.sources.messages import MESSAGES
from sharpen.traces.sources.opencode import OPENCODE, OPENCODE_EXPORT
from sharpen.traces.sources.otlp import OTLP
from sharpen.traces.sources.pi import PI
from sharpen.traces.sources.streams import STREAM_FORMATS
from sharpen.traces.sources.swe_agent import MINI_SWE_AGENT, SWE_AGENT

CLIENT_FORMATS = (CODEX, CLAUDE_CODE, GEMINI, OPENCODE, KIMI, COPILOT, CURSOR, PI)
HANDED_FORMATS = (
    ATIF,
    OPENCODE_EXPORT,
    MINI_SWE_AGENT,
    SWE_AGENT,
    OTLP,
    GEMINI_TELEMETRY,
    INSPECT,
    INSPECT_JSON,
)

FORMATS: dict[str, Format] = {
    format_.name: format_ for format_ in (*CLIENT_FORMATS, *HANDED_FORMATS, *STREAM_FORMATS, MESSAGES)
}
"""Every format by its name; where two fit a file, the first one reads it."""

SHORT_NAMES = {"claude": "claude-code"}
"""What people also say."""

__all__ = ["FORMATS", "SHORT_NAMES", "Format", "Layout", "Place"]
