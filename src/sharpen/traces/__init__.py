"""What agents did: trajectories in the ATIF format, the sessions they come from, and the archive that keeps
them.

`trajectory.py` holds the records, `atif.py` writes and reads them as JSON and checks the format's rules.
`streams/` reads what clients print during a run of ours; `sources/` reads what clients and datasets keep in
files, step by step (`telling.py`), so that size does not matter. `privacy/` takes out what is private,
`outcomes.py` says how a session came out, `archive.py` keeps them, `harvest.py` does it all. Reading never
fails on foreign or broken lines: it counts them. Nothing here starts an agent.
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
