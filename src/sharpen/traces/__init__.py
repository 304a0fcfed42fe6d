"""What agents did: trajectories in the ATIF format, and readers of the streams that coding agents print.

`trajectory.py` holds the records, `atif.py` writes and reads them as JSON and checks the format's rules;
`streams/` reads each client's JSON lines into a `Session`. Reading never fails on foreign or broken lines: it
counts them. Nothing here starts an agent or judges what it did.
"""

from sharpen.traces.atif import SCHEMA_VERSION, check, from_json, to_json
from sharpen.traces.lines import Events
from sharpen.traces.session import Session, Spent
from sharpen.traces.streams import STREAMS, StreamReader
from sharpen.traces.trajectory import Agent, FinalMetrics, Metrics, Result, Step, ToolCall, Trajectory

__all__ = [
    "SCHEMA_VERSION",
    "STREAMS",
    "Agent",
    "Events",
    "FinalMetrics",
    "Metrics",
    "Result",
    "Session",
    "Spent",
    "Step",
    "StreamReader",
    "ToolCall",
    "Trajectory",
    "check",
    "from_json",
    "to_json",
]
