"""Options that several verbs share, spelled and explained once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from sharpen import types

WHERE, LIMITS, HOW = "What to run", "Budget", "How"

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on stderr.")]
Seed = Annotated[int, typer.Option("--seed", help="Names the random streams.", rich_help_panel=HOW)]
InstalledProject = Annotated[
    Path | None,
    typer.Option("--project", metavar="DIR", help="The project's folder, if not the current one."),
]
RunFolder = Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")]
Tasks = Annotated[
    Path | None,
    typer.Option(
        "--tasks",
        "-t",
        help="A JSONL file, a JSON array, evals.json, or a folder train/ val/ test/ with items.json.",
        rich_help_panel=WHERE,
    ),
]
Student = Annotated[
    str | None,
    typer.Option(
        "--student",
        "--agent",
        "-s",
        metavar="NAME",
        help="The agent that attempts tasks: PROVIDER:MODEL, tools:PROVIDER:MODEL, codex:MODEL and the "
        "like, or MODULE:OBJECT.",
        rich_help_panel=WHERE,
    ),
]
StudentOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--student-option",
        metavar="KEY=VALUE",
        help="How the student is run, such as base_url=http://127.0.0.1:8080/v1; repeatable.",
        rich_help_panel=WHERE,
    ),
]
Scorer = Annotated[
    str | None,
    typer.Option(
        "--scorer",
        metavar="NAME",
        help="Who judges answers of tasks without a check of their own: exact (the default), contains, "
        "regex, number, f1, anls, choice, math, json, schema, command or python:MODULE:FUNCTION.",
        rich_help_panel=WHERE,
    ),
]
Judge = Annotated[
    str | None,
    typer.Option(
        "--judge",
        metavar="NAME",
        help="The model that judges rubrics and other answers without one right spelling: PROVIDER:MODEL.",
        rich_help_panel=WHERE,
    ),
]
Teacher = Annotated[
    str | None,
    typer.Option(
        "--teacher",
        metavar="NAME",
        help="Who proposes edits: PROVIDER:MODEL, `phrasebook` (no model), or MODULE:OBJECT.",
        rich_help_panel=WHERE,
    ),
]
TeacherOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--teacher-option",
        metavar="KEY=VALUE",
        help="How the teacher is run, such as rounds=3 or style=rules; repeatable.",
        rich_help_panel=WHERE,
    ),
]
Simulated = Annotated[
    str | None,
    typer.Option(
        "--simulated",
        metavar="WORLD",
        help="A simulated world instead of tasks, student and teacher; `slip.1` is a good first one.",
        rich_help_panel=WHERE,
    ),
]
Rollouts = Annotated[
    int | None, typer.Option("--budget", "-b", metavar="N", help="Most attempts.", rich_help_panel=LIMITS)
]
Calls = Annotated[
    int | None,
    typer.Option("--calls", metavar="N", help="Most attempts and teacher calls.", rich_help_panel=LIMITS),
]
Tokens = Annotated[
    int | None, typer.Option("--tokens", metavar="N", help="Most tokens.", rich_help_panel=LIMITS)
]
Usd = Annotated[float | None, typer.Option("--usd", metavar="X", help="Most money.", rich_help_panel=LIMITS)]
Seconds = Annotated[
    float | None, typer.Option("--seconds", metavar="X", help="Most wall time.", rich_help_panel=LIMITS)
]
Metric = Annotated[types.Metric, typer.Option("--metric", help="The score that counts.", rich_help_panel=HOW)]
Split = Annotated[types.Split, typer.Option("--split", help="The split to measure on.", rich_help_panel=HOW)]
DryRun = Annotated[bool, typer.Option("--dry-run", "-n", help="Say what it would cost; call nobody.")]
Concurrency = Annotated[
    int,
    typer.Option("--concurrency", help="Calls in flight; changes the speed only.", rich_help_panel=HOW),
]
Config = Annotated[
    Path | None,
    typer.Option(
        "--config",
        "-c",
        metavar="FILE",
        help="A YAML file, SkillOpt's or ours; what is typed wins over it.",
        rich_help_panel=WHERE,
    ),
]
Overrides = Annotated[
    list[str] | None,
    typer.Argument(metavar="KEY=VALUE", help="Values over the configuration, such as train.batch_size=20."),
]
CfgOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--cfg-options", metavar="KEY=VALUE", help="The same, as SkillOpt spells it.", rich_help_panel=WHERE
    ),
]
Preset = Annotated[
    Literal["paper", "default"] | None,
    typer.Option("--preset", help="Settings over the file and under the KEY=VALUEs.", rich_help_panel=WHERE),
]
