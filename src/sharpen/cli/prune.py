"""`sharpen prune`: what each part of a skill is worth, measured by leaving it out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from sharpen.cli import options
from sharpen.cli.config.training import measuring, training_of
from sharpen.cli.config.typed import resolve
from sharpen.cli.forecast import effect_in_words, smallest_effect
from sharpen.cli.problem import Given, Problem, limits_of
from sharpen.cli.progress import attempts_bar
from sharpen.cli.steps import signed
from sharpen.cli.terminal import print_facts, print_json, print_table
from sharpen.cli.texts import is_run, view_of
from sharpen.errors import UsageError
from sharpen.evaluate.pruning import PartWorth, PruneSettings, Pruning, evidence_needed, most_attempts, prune
from sharpen.report.origins import edit_parts
from sharpen.report.visible import visible
from sharpen.skills import Part, Skill, lint, parts_of

HEAD = ("part", "text", "effect", "pairs", "verdict", "tokens")
SHOWN = 60
"""Characters of a part's first line in the table."""


def command(
    context: typer.Context,
    path: Annotated[
        Path,
        typer.Argument(metavar="RUN|SKILL", help="A run folder (its best skill), a skill file or folder."),
    ],
    overrides: options.Overrides = None,
    config: options.Config = None,
    cfg_options: options.CfgOptions = None,
    preset: options.Preset = None,
    tasks: options.Tasks = None,
    student: options.Student = None,
    student_option: options.StudentOptions = None,
    scorer: options.Scorer = None,
    judge: options.Judge = None,
    simulated: options.Simulated = None,
    write: Annotated[
        Path | None, typer.Option("--write", "-w", metavar="PATH", help="Write the pruned skill here.")
    ] = None,
    drop_below: Annotated[
        float | None,
        typer.Option(
            "--drop-below",
            metavar="X",
            help="Drop also what is worth less than X with 95 % confidence, not only what harms.",
        ),
    ] = None,
    passes: Annotated[
        int, typer.Option("--passes", "-p", help="Most passes over the tasks.", rich_help_panel=options.HOW)
    ] = 3,
    metric: options.Metric = "hard",
    seed: options.Seed = 0,
    concurrency: options.Concurrency = 16,
    run: Annotated[
        Path | None,
        typer.Option("--run", "-r", help="Keep the attempts in this folder.", rich_help_panel=options.HOW),
    ] = None,
    budget: options.Rollouts = None,
    dry_run: options.DryRun = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Say for every part of a skill whether it is worth its place, by leaving it out.

    Of a run the parts are its accepted edits; of a skill its list items, paragraphs and files. The skill with
    and without a part attempts the same selection tasks until the evidence suffices or the budget ends.
    Verdicts: keep, harms, no evidence it helps. Nothing is written without --write. The tasks and the student
    of a configured run come back with --config RUN/config.yaml.
    """
    given = Given(tasks, student, None, simulated, seed, scorer, tuple(student_option or ()), judge=judge)
    resolved = resolve(context, config, [*(cfg_options or ()), *(overrides or ())], preset)
    limits = limits_of(budget)
    ways: dict[str, Any] = {"metric": metric, "concurrency": concurrency}
    if resolved is None:
        problem = given.problem(path)
    else:
        from sharpen.cli.configured import configured  # brings the suites with it

        found = configured(resolved, given, path, taught=False)
        problem, ways = found.problem, measuring(found.settings)
        limits = training_of(resolved).budget
    parts = edit_parts(problem.skill, view_of(path).blame) if is_run(path) else parts_of(problem.skill)
    settings = PruneSettings(passes=passes, seed=seed, drop_below=drop_below, **ways)
    if not parts:
        raise UsageError(_nothing(path))
    if write is not None:
        _check_place(problem.skill, write)
    most = most_attempts(len(parts), len(problem.tasks.selection), settings)
    if dry_run:
        _cost(problem, parts, most, settings, json=json)
        return
    with attempts_bar(most if limits is None else min(most, limits.planned), quiet=quiet) as watch:
        pruning = prune(problem.skill, parts, problem.tasks, watch(problem.student), limits, settings, run)
    written = _write(pruning, write)
    if json:
        simulated_too = {"simulated": problem.world is not None, "written": written and str(written)}
        print_json({**simulated_too, **pruning.as_json()})
    else:
        print_table(HEAD, map(_cells, pruning.parts), right=(3, 5))
        print_facts(_facts(pruning, problem, written))


def _nothing(path: Path) -> str:
    if is_run(path):
        return (
            f"{path}: no accepted edit left a line in the best skill; give best_skill.md to prune all of it"
        )
    return f"{path} has no part to leave out: only headings, frontmatter or protected regions"


def _check_place(skill: Skill, path: Path) -> None:
    """Whether the skill can be written there at all: asked before anything is paid for."""
    if path.suffix.lower() == ".md":
        if skill.files:
            raise UsageError(f"the skill has files, which {path} cannot hold; give the path of a folder")
        return
    wrong = [one.message for one in lint(skill, folder_name=path.resolve().name) if one.level == "error"]
    if wrong:
        raise UsageError(
            f"{path} would not be a valid skill folder: {'; '.join(wrong)}; or write to a .md file"
        )


def _cost(
    problem: Problem, parts: tuple[Part, ...], most: int, settings: PruneSettings, *, json: bool
) -> None:
    tasks = len(problem.tasks.selection)
    needed = evidence_needed(len(parts), settings.alpha)
    effect = smallest_effect(tasks * settings.passes, noise=0.0, threshold=needed)
    if json:
        found = {"attempts": most, "parts": len(parts), "tasks": tasks, "passes": settings.passes}
        print_json({**found, "smallest_effect": effect})
        return
    typer.echo(
        f"at most {most} attempts: {len(parts)} parts, {tasks} selection tasks, {settings.passes} passes"
    )
    typer.echo(f"smallest effect that is expected to be proven, without noise: {effect_in_words(effect)}")


def _write(pruning: Pruning, path: Path | None) -> Path | None:
    if path is None or pruning.pruned is None:
        return None
    Skill.from_text(pruning.pruned.text)  # a skill of which nothing readable is left is not written
    pruning.pruned.write(path)
    return path


def _cells(worth: PartWorth) -> tuple[str, ...]:
    part = worth.part
    where = f"{part.file} {part.name}" if part.file and part.file != part.name else part.name
    said = visible(part.text.strip().split("\n")[0])
    return (
        where,
        said if len(said) <= SHOWN else said[: SHOWN - 1] + "…",
        signed(asdict(worth.effect)) if worth.effect else "not measured",
        str(worth.pairs),
        f"{worth.verdict}: {worth.reason}",
        str(worth.tokens),
    )


def _facts(pruning: Pruning, problem: Problem, written: Path | None) -> Iterator[tuple[str, str]]:
    names = ", ".join(worth.part.name for worth in pruning.dropped)
    yield "dropped", names or "nothing: no part is shown to harm" + _how_else(pruning)
    if pruning.together is not None:
        found = pruning.together
        effect = signed(asdict(found.effect)) if found.effect else "not measured"
        yield "together", f"{effect} over {found.pairs} pairs: {found.verdict}"
    if pruning.dropped and pruning.pruned is None:
        yield "", "not shown that all of them may go at once, so none does"
    if pruning.pruned is not None:
        yield "saved", f"{pruning.tokens_saved} tokens"
        yield "written", str(written) if written else "nothing; add --write PATH"
    yield "spent", f"{int(pruning.spent['rollouts'])} rollouts"
    if problem.world is not None:
        yield "note", f"simulated world {problem.world}"


def _how_else(pruning: Pruning) -> str:
    open_ones = sum(worth.verdict == "no evidence it helps" for worth in pruning.parts)
    return f"; {open_ones} without evidence stay (see --drop-below)" if open_ones else ""
