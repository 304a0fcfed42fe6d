"""`sharpen eval`: one skill measured, or two skills compared on the same tasks; no skill is a skill, too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from typing import Annotated

import typer

from sharpen.cli import options
from sharpen.cli.config.training import measuring, training_of
from sharpen.cli.config.typed import resolve, words_of
from sharpen.cli.judges import JudgeReport, heard_again
from sharpen.cli.outcome import spent_in_words
from sharpen.cli.problem import Given, Problem, limits_of
from sharpen.cli.progress import attempts_bar
from sharpen.cli.steps import estimate_in_words, signed
from sharpen.cli.terminal import print_facts, print_json, say
from sharpen.cli.texts import skill_at
from sharpen.errors import UsageError
from sharpen.evaluate import Compared, Evaluated, EvaluateSettings, compare, evaluate
from sharpen.skills import Skill
from sharpen.skills import tokens as tokens_in
from sharpen.stats import fewest_wins

EXIT_CODES = {"better": 0, "not better": 10, "not enough data": 11, "worse": 12}
"""What a comparison ends with, so that a script can act on it."""
NONE = Path("none")
"""Stands for no skill at all."""
SHOWN = 8
"""Tasks that are named; the others are counted."""


def command(
    context: typer.Context,
    skill: Annotated[
        str | None,
        typer.Argument(
            metavar="SKILL",
            help="A Markdown file, a skill folder or a run folder (its best skill); `none` is no skill.",
        ),
    ] = None,
    other: Annotated[
        str | None, typer.Argument(metavar="OTHER", help="What to compare it with, named in the same way.")
    ] = None,
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
    bare: Annotated[
        bool,
        typer.Option(
            "--bare", help="Compare with no skill at all, as OTHER `none`.", rich_help_panel=options.WHERE
        ),
    ] = False,
    split: options.Split = "selection",
    passes: Annotated[
        int, typer.Option("--passes", "-p", help="Attempts per task and skill.", rich_help_panel=options.HOW)
    ] = 1,
    metric: options.Metric = "hard",
    seed: options.Seed = 0,
    concurrency: options.Concurrency = 16,
    run: Annotated[
        Path | None,
        typer.Option("--run", "-r", help="Keep the attempts in this folder.", rich_help_panel=options.HOW),
    ] = None,
    budget: options.Rollouts = None,
    tokens: options.Tokens = None,
    usd: options.Usd = None,
    seconds: options.Seconds = None,
    dry_run: options.DryRun = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Measure a skill, or compare it with another one, task by task.

    With two skills the question is whether the first is better. Exit code: 0 better (or one skill measured),
    10 not better (no gain, which may be luck), 11 not enough data, 12 worse beyond doubt.
    """
    given = Given(tasks, student, None, simulated, seed, scorer, tuple(student_option or ()), judge=judge)
    paths, words = words_of([skill, other, *(overrides or ())], paths=2)
    first, second = (*paths, None, None)[:2]
    resolved = resolve(context, config, [*(cfg_options or ()), *words], preset)
    limits = limits_of(budget, None, tokens, usd, seconds)
    if resolved is None:
        problem = given.problem(_named(first))
        settings = EvaluateSettings(passes=passes, split=split, metric=metric, concurrency=concurrency)
    else:
        from sharpen.cli.configured import configured  # brings the suites with it

        found = configured(resolved, given, _named(first), taught=False)
        problem, limits = found.problem, training_of(resolved).budget
        settings = EvaluateSettings(passes=passes, split=split, **measuring(found.settings))
    rival = _rival(second, bare)
    arms = 1 if rival is None else 2
    attempts = arms * passes * len(problem.tasks.split(split))
    if dry_run:
        _cost(problem, attempts, arms, settings, json=json)
        return
    if split == "test" and not quiet:
        say("a look at the test split: every look makes it a little less held out")
    with attempts_bar(attempts, quiet=quiet) as watch:
        runner = watch(problem.student)
        if rival is None:
            one = evaluate(problem.skill, problem.tasks, runner, limits, settings, run)
        else:
            both = compare(problem.skill, rival, problem.tasks, runner, limits, settings, run)
    heard = heard_again(problem)
    if rival is None:
        _print_one(one, problem, heard, json=json)
    else:
        _print_both(both, problem, heard, alpha=settings.alpha, json=json)


def _rival(other: Path | None, bare: bool) -> Skill | None:
    if other is not None and bare:
        raise UsageError("compare with OTHER or with no skill (--bare), not with both")
    named = _named(NONE if bare else other)
    return named if isinstance(named, Skill | None) else skill_at(named)


def _named(path: Path | None) -> Path | Skill | None:
    """No skill for the word `none`, unless something has that name."""
    return Skill("") if path == NONE and not path.exists() else path


def _cost(problem: Problem, attempts: int, arms: int, settings: EvaluateSettings, *, json: bool) -> None:
    tasks = len(problem.tasks.split(settings.split))
    fewest = fewest_wins(settings.alpha) if arms == 2 else None
    if json:
        plan = {"attempts": attempts, "tasks": tasks, "skills": arms, "passes": settings.passes}
        print_json({**plan, "fewest_wins": fewest})
        return
    typer.echo(f"{attempts} attempts: {arms} × {tasks} {settings.split} tasks × {settings.passes} passes")
    if fewest is not None:
        short = f"; {tasks} can show nothing" if tasks < fewest else f" of {tasks}"
        typer.echo(f"the smallest gain that would show: {fewest} tasks won and none lost{short}")


def _print_one(one: Evaluated, problem: Problem, heard: JudgeReport | None, *, json: bool) -> None:
    if json:
        print_json({"simulated": problem.world is not None, **one.as_json(), **_heard_json(heard)})
        return
    print_facts([("score", _score(one)), *_opened(one), *_rest(one, problem, heard)])


def _print_both(
    both: Compared, problem: Problem, heard: JudgeReport | None, *, alpha: float, json: bool
) -> None:
    verdict = both.verdict
    word = _word(both, alpha)
    if json:
        said = {"simulated": problem.world is not None, "word": word, **both.as_json()}
        print_json({**said, **_heard_json(heard)})
    else:
        one, two = ("with", "without") if not both.second.skill.text else ("first", "second")
        counts = f"{verdict.wins} won, {verdict.ties} tied, {verdict.losses} lost"
        print_facts(
            [
                ("verdict", f"{word}: {verdict.reason}"),
                (one, _score(both.first)),
                (two, _score(both.second)),
                ("difference", f"{signed(asdict(both.difference))}, {one} minus {two}, paired"),
                ("tasks", f"{counts}; exact sign test p = {both.p_value:.3g}"),
                *_named_tasks(both),
                *_opened(both.first),
                *_tokens(both, one, two),
                *_rest(both.first, problem, heard),
            ]
        )
    raise typer.Exit(EXIT_CODES[word])


def _word(both: Compared, alpha: float) -> str:
    """The verdict, with a loss that cannot be luck told from a gain that is not there."""
    is_worse = both.difference.mean < 0 and both.p_value <= alpha
    return "worse" if is_worse and both.verdict.decision == "not better" else both.verdict.decision


def _named_tasks(both: Compared) -> Iterator[tuple[str, str]]:
    """The tasks that one skill did better than the other."""
    for word, sign in (("won", 1), ("lost", -1)):
        found = [task for task, difference in both.differences.items() if sign * difference > 0]
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        if found:
            yield word, ", ".join(found[:SHOWN]) + more


def _opened(one: Evaluated) -> Iterator[tuple[str, str]]:
    """Agents are told of a skill and decide whether to read it: a gain without reading is no gain of it."""
    if one.openings:
        yield "opened", f"the skill was opened in {sum(one.openings)} of {len(one.openings)} attempts with it"


def _tokens(both: Compared, one: str, two: str) -> Iterator[tuple[str, str]]:
    """What the skill costs, where both arms say what they used."""
    if both.first.tokens and both.second.tokens:
        first, second = fmean(both.first.tokens), fmean(both.second.tokens)
        yield "tokens", f"{first:,.0f} per attempt {one}, {second:,.0f} {two}"


def _score(one: Evaluated) -> str:
    missing = f", {len(one.not_measured)} tasks not measured" if one.not_measured else ""
    where = f"from {one.score.n} attempts at {one.score.tasks} tasks"
    name = f"{one.skill.digest[:12]}, {tokens_in(one.skill.text)} tokens" if one.skill.text else "no skill"
    return f"{estimate_in_words(asdict(one.score))} {where}{missing} ({name})"


def _rest(one: Evaluated, problem: Problem, heard: JudgeReport | None) -> Iterator[tuple[str, str]]:
    yield "spent", spent_in_words(one.spent)
    yield from heard.facts() if heard else ()
    if problem.world is not None:
        yield "note", f"simulated world {problem.world}"


def _heard_json(heard: JudgeReport | None) -> dict[str, object]:
    return {"judge": heard.as_json()} if heard else {}
