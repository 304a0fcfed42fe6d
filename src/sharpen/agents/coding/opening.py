"""A coding agent from its name: `client:model`, such as `codex:gpt-5` or
`opencode:anthropic/claude-sonnet-4`.

Names that are not known are answered with the nearest one that is.
"""

from __future__ import annotations

from difflib import get_close_matches

from sharpen.agents.coding.agent import CodingAgent
from sharpen.agents.coding.settings import AgentSettings
from sharpen.clients import CLIENTS, SHORT_NAMES
from sharpen.errors import SettingsError
from sharpen.tasks.scoring import Scorer

CODING_AGENTS = (*CLIENTS, *SHORT_NAMES)
"""The names before the colon."""


def open_agent(name: str, *, scorer: Scorer, settings: AgentSettings | None = None) -> CodingAgent:
    """The agent that `name` names; SettingsError when the name, the binary or the key is not there."""
    typed, colon, model = name.partition(":")
    client = SHORT_NAMES.get(typed, typed)
    if client not in CLIENTS:
        near = get_close_matches(client, CODING_AGENTS, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]!r}? Known are" if near else "known are"
        raise SettingsError(f"there is no coding agent {client!r}; {hint} {', '.join(CODING_AGENTS)}")
    if not colon or not model.strip():
        raise SettingsError(
            f"{name!r} names no model, and both arms must have the same one; write {typed}:MODEL"
        )
    return CodingAgent(CLIENTS[client], model.strip(), scorer=scorer, settings=settings)
