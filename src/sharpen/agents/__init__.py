"""Students: a chat model, a model with tools, and real coding agents, each judged by a scorer.

`open_student("openai:gpt-5-mini", "exact")` makes one by name. Each tries a task with a skill in hand and
says how it went; none knows how skills are trained.
"""

from sharpen.agents.chat import ChatSettings, ChatStudent
from sharpen.agents.coding import AgentSettings, CodingAgent, open_agent
from sharpen.agents.opening import STUDENTS, open_student
from sharpen.agents.tools import ToolSettings, ToolStudent

__all__ = [
    "STUDENTS",
    "AgentSettings",
    "ChatSettings",
    "ChatStudent",
    "CodingAgent",
    "ToolSettings",
    "ToolStudent",
    "open_agent",
    "open_student",
]
