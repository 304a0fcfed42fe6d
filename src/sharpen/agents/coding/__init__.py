"""Real coding agents as students: Codex, Claude Code, Gemini CLI, OpenCode, Kimi, Copilot, Cursor.

`agent.py` is the student; `settings.py` what it can be told; `opening.py` makes one from a name such as
`codex:gpt-5`. Every attempt gets a home and a work folder of its own (`home.py`), runs the real binary
(`binary.py`, `process.py`) and reads its stream (`reading.py`). What a client is like is in
`sharpen.clients`.
"""

from sharpen.agents.coding.agent import CodingAgent
from sharpen.agents.coding.binary import Binary, find_binary
from sharpen.agents.coding.opening import CODING_AGENTS, open_agent
from sharpen.agents.coding.settings import AgentSettings

__all__ = ["CODING_AGENTS", "AgentSettings", "Binary", "CodingAgent", "find_binary", "open_agent"]
