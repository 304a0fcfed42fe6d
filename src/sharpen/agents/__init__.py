"""Students: a chat model, a model with tools, and real coding agents, each judged by a scorer.

`open_student("openai:gpt-5-mini", "exact")` makes one by name. Each tries a task with a skill in hand and
says how it went; none knows how skills are trained.
"""

from sharpen.agents.chat import ChatSettings, ChatStudent
from sharpen.agents.coding import AgentSettings, CodingAgent, open_agent
from sharpen.agents.opening import STUDENTS, open_student
from sharpen.agents.skillopt_env import AdapterStudent, open_adapter
from sharpen.agents.tools import ToolSettings, ToolStudent
from sharpen.agents.turns import TurnSettings, TurnStudent

__all__ = [
    "STUDENTS",
    "AdapterStudent",
    "AgentSettings",
    "ChatSettings",
    "ChatStudent",
    "CodingAgent",
    "ToolSettings",
    "ToolStudent",
    "TurnSettings",
    "TurnStudent",
    "open_adapter",
    "open_agent",
    "open_student",
]
