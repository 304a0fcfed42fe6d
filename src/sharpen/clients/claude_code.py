"""Claude Code. Speaks Anthropic Messages; reads `.claude/skills` only, not `.agents/skills`.

It refuses to bypass its permission checks for root. Accepting edits and allowing named tools needs no bypass,
so that is what a run gets. Retries are bounded here: its default keeps trying a refused key for minutes.
"""

from __future__ import annotations

from sharpen.clients.facts import Client, Hooks, Launch, Order, SkillFolders

ALLOWED_TOOLS = "Bash,Read,Edit,Write,Glob,Grep,NotebookEdit,Skill,Task"


def _launch(order: Order) -> Launch:
    arguments = ("-p", order.prompt, "--model", order.model, "--output-format", "stream-json", "--verbose")
    return Launch(
        (*arguments, *_permission(order), *order.extra_arguments),
        environment={
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_RETRIES": "2",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            **({"ANTHROPIC_BASE_URL": order.base_url} if order.base_url else {}),
        },
    )


def _permission(order: Order) -> tuple[str, ...]:
    if order.permission == "all":
        return ("--permission-mode", "bypassPermissions")
    return ("--permission-mode", "acceptEdits", "--allowedTools", ALLOWED_TOOLS)


CLAUDE_CODE = Client(
    name="claude-code",
    title="Claude Code",
    binaries=("claude",),
    install="npm install -g @anthropic-ai/claude-code",
    package="@anthropic-ai/claude-code",
    tested="2.1.325",
    minimum="2.1.300",
    verified=True,
    skills=SkillFolders(project=(".claude/skills",), user=(".claude/skills",)),
    key_variable="ANTHROPIC_API_KEY",
    wires=("messages",),
    launch=_launch,
    home=("CLAUDE_CONFIG_DIR", ".claude"),
    hooks=Hooks(
        "settings",
        project=".claude/settings.json",
        user=".claude/settings.json",
        after=("PostToolUse", "PostToolUseFailure"),
        compacted=("PreCompact",),
        trust="an interactive session runs them once the folder is trusted; `claude -p` asks nobody",
    ),
    longest_description=1536,
    naming="/{name} {prompt}",
    off_arguments=("--settings", '{"skillOverrides":{"{name}":"off"}}'),
    refuses_root=True,
)
