"""Cursor's agent CLI, from its documentation: never run against the real binary.

It is no npm package and talks to Cursor's own service only, so it cannot be pointed at another endpoint.
"""

from __future__ import annotations

from sharpen.clients.facts import Client, Launch, Order, SkillFolders


def _launch(order: Order) -> Launch:
    arguments = ("--print", "--output-format", "stream-json", "--model", order.model, "--force")
    return Launch((*arguments, *order.extra_arguments, "--", order.prompt))


CURSOR = Client(
    name="cursor",
    title="Cursor CLI",
    binaries=("cursor-agent",),
    install="curl https://cursor.com/install -fsS | bash",
    package=None,
    tested="",
    minimum="",
    verified=False,
    skills=SkillFolders(project=(".agents/skills", ".cursor/skills"), user=(".cursor/skills",)),
    key_variable="CURSOR_API_KEY",
    wires=(),
    launch=_launch,
)
