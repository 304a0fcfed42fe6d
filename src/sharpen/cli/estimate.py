"""`sharpen estimate`: the plan of a run and what it could prove, from sizes alone."""

from __future__ import annotations

from typing import Annotated

import typer

from sharpen.cli import options
from sharpen.cli.forecast import Forecast
from sharpen.cli.terminal import print_json
from sharpen.errors import UsageError
from sharpen.simulate import World
from sharpen.tasks import read_tasks
from sharpen.train import make_plan
from sharpen.types import Budget, Split, Task, TaskSet


def command(
    budget: Annotated[int, typer.Option("--budget", "-b", metavar="N", help="Most attempts.")],
    tasks: options.Tasks = None,
    simulated: options.Simulated = None,
    train: Annotated[int, typer.Option(help="Train tasks, when no file is given.")] = 40,
    selection: Annotated[int, typer.Option(help="Selection tasks, when no file is given.")] = 20,
    test: Annotated[int, typer.Option(help="Test tasks, when no file is given.")] = 40,
    lanes: Annotated[int | None, typer.Option(help="Tasks worked on side by side.")] = None,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Say what a budget would buy, without a call.

    Prints how many attempts search, gate, final pass and the look at the test split would get, and the
    smallest gain the gate could be expected to prove.
    """
    if tasks is not None and simulated is not None:
        raise UsageError("give --tasks or --simulated, not both")
    if tasks is not None:
        found = read_tasks(tasks, seed=seed)
    elif simulated is not None:
        found = World.named(simulated, seed=seed).tasks(test=True)
    else:
        found = _of_sizes({"train": train, "selection": selection, "test": test})
    sizes = {"train": len(found.train), "selection": len(found.selection), "test": len(found.test)}
    forecast = Forecast(make_plan(Budget(rollouts=budget), found, lanes=lanes), sizes)
    if json:
        print_json(forecast.as_json())
        return
    for line in forecast.lines():
        typer.echo(line)


def _of_sizes(sizes: dict[Split, int]) -> TaskSet:
    return TaskSet(**{name: [Task(f"{name}-{at}") for at in range(size)] for name, size in sizes.items()})
