"""A scripted model behind a real HTTP server on 127.0.0.1, for tests that drive real programs.

`server.py` listens and keeps what was asked and billed; `wires.py` reads and writes the four protocols;
`script.py` says what the model answers; `school.py` is a script that plays student, teacher and judge of a
training run. Nothing here reaches beyond loopback, and nothing is random.
"""

from .school import Exercise, School
from .script import Ask, Bill, Call, Reply, Say, Script
from .server import LoopbackModel, Request

__all__ = [
    "Ask",
    "Bill",
    "Call",
    "Exercise",
    "LoopbackModel",
    "Reply",
    "Request",
    "Say",
    "School",
    "Script",
]
