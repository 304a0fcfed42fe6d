"""A student from its name.

    openai:gpt-5-mini, local:smollm2 …   a chat with that model, the skill as its system prompt
    tools:openai:gpt-5-mini              the same model with a shell, Python and files in the sandbox
    codex:gpt-5, claude-code:sonnet …    a coding agent, run as its users run it
    skillopt:my_package.envs:MyAdapter   an EnvAdapter of SkillOpt, which runs and scores by itself

Options are the fields of the settings records of whatever the name stands for, typed or as text.
"""

from __future__ import annotations

from collections.abc import Mapping

from sharpen.agents.chat import ChatSettings, ChatStudent
from sharpen.agents.coding import CODING_AGENTS, AgentSettings, open_agent
from sharpen.agents.options import refuse, take, typed
from sharpen.agents.skillopt_env import SKILLOPT, open_adapter
from sharpen.agents.tools import ToolSettings, ToolStudent
from sharpen.agents.turns import TurnSettings, TurnStudent
from sharpen.models import PROVIDERS, Model, ModelSettings, open_model
from sharpen.tasks.scorers import scorer_named
from sharpen.tasks.scoring import Scorer
from sharpen.tasks.turns import Turns
from sharpen.types import Student

STUDENTS = ("chat", "tools", SKILLOPT, *CODING_AGENTS, *PROVIDERS)
"""What a name may begin with."""


def open_student(
    name: str,
    scorer: Scorer | str,
    options: Mapping[str, object] | None = None,
    *,
    turns: Turns | None = None,
) -> Student:
    """The student of that name, judged by `scorer`; with `turns` a chat talks with the suite's tasks."""
    judge = scorer_named(scorer) if isinstance(scorer, str) else scorer
    given = dict(options or {})
    kind, _, rest = name.partition(":")
    if kind == SKILLOPT:
        return open_adapter(rest, {key: typed(value) for key, value in given.items()})
    if kind in CODING_AGENTS:
        settings = take(AgentSettings, given)
        refuse(given, AgentSettings, who="this student")
        return open_agent(name, scorer=judge, settings=settings)
    if kind == "tools":
        tools = take(ToolSettings, given)
        return ToolStudent(_model(rest, given, ToolSettings), judge, tools)
    model_name = rest if kind == "chat" else name
    if turns is not None:
        talk = take(TurnSettings, given)
        return TurnStudent(_model(model_name, given, TurnSettings), judge, turns, talk)
    chat = take(ChatSettings, given)
    return ChatStudent(_model(model_name, given, ChatSettings), judge, chat)


def _model(name: str, given: dict[str, object], own: type) -> Model:
    given.setdefault("role", "student")
    settings = take(ModelSettings, given)
    refuse(given, own, ModelSettings, who="this student")
    return open_model(name, settings)
