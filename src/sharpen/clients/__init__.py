"""Plain facts about the coding agents people use, one record per client. Standard library only.

`facts.py` says what is known of any client; the file named after a client holds its record and the one
function that turns an order (prompt, model, endpoint) into arguments, environment and configuration files.
Nothing here starts a process, reads a disk or knows what a task is.
"""

from sharpen.clients.claude_code import CLAUDE_CODE
from sharpen.clients.codex import CODEX
from sharpen.clients.copilot import COPILOT
from sharpen.clients.cursor import CURSOR
from sharpen.clients.facts import Client, Hooks, Launch, Order, Permission, SkillFolders, Wire
from sharpen.clients.gemini import GEMINI
from sharpen.clients.kimi import KIMI
from sharpen.clients.opencode import OPENCODE

CLIENTS = {client.name: client for client in (CODEX, CLAUDE_CODE, GEMINI, OPENCODE, KIMI, COPILOT, CURSOR)}
"""Every known client by its name."""
SHORT_NAMES = {"claude": "claude-code"}
"""What people type for it."""

__all__ = [
    "CLAUDE_CODE",
    "CLIENTS",
    "CODEX",
    "COPILOT",
    "CURSOR",
    "GEMINI",
    "KIMI",
    "OPENCODE",
    "SHORT_NAMES",
    "Client",
    "Hooks",
    "Launch",
    "Order",
    "Permission",
    "SkillFolders",
    "Wire",
]
