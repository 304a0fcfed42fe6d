"""ALFWorld: household tasks in a text world, played command by command.

Items name a game file under the opened folder or under $ALFWORLD_DATA. In the mode `multi` the student sees
each observation before its next command, as the benchmark means it; in the mode `single` it writes a plan at
once. Either way the answer is a list of commands, and the scorer plays it: was the game won within the limit
of moves? Another text world with the same calls can take ALFWorld's place by the option `world`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, cast

from sharpen.errors import SettingsError, TaskError
from sharpen.tasks.extras import load, require
from sharpen.tasks.own_code import load_own
from sharpen.tasks.prompting import filled
from sharpen.tasks.scorers.answers import wanted
from sharpen.tasks.scoring import Answer
from sharpen.tasks.suites.rows import Row
from sharpen.tasks.suites.sources import Source
from sharpen.tasks.suites.suite import Suite, Tools
from sharpen.tasks.turns import Turns
from sharpen.types import Json, Score, Task

KINDS = (
    "pick_and_place_simple",
    "look_at_obj_in_light",
    "pick_clean_then_place_in_recep",
    "pick_heat_then_place_in_recep",
    "pick_cool_then_place_in_recep",
    "pick_two_obj_and_place",
)
MOVES = 50
PLAYING = "playing ALFWorld"
FORMS = {
    "single": "Write a plan of at most {moves} commands, one per line, inside one fenced block.",
    "multi": "You are told what you see. Answer with one command; you have at most {moves}.",
}
"""How the answer is asked for, by mode."""
_LISTED = re.compile(r"^\s*(?:\d+[.):]|[-*>])\s*")
_FENCE = re.compile(r"```[a-zA-Z]*\n(.*?)```", re.DOTALL)


class Game(Protocol):
    """A text world, as ALFWorld's batches of one game are."""

    def reset(self) -> tuple[Sequence[str], Mapping[str, Sequence[object]]]: ...
    def step(
        self, commands: list[str]
    ) -> tuple[Sequence[str], Sequence[float], Sequence[bool], Mapping[str, Sequence[object]]]: ...
    def close(self) -> None: ...


Opener = Callable[[Path], Game]


def open_game(path: Path) -> Game:
    """The real game, by TextWorld with ALFWorld's own wrappers."""
    worlds = load("alfworld", for_what=PLAYING, part="agents.environment.alfred_tw_env")
    textworld = load("textworld", for_what=PLAYING)
    gym = load("textworld", for_what=PLAYING, part="gym")
    asked = textworld.EnvInfos(won=True, admissible_commands=True)
    name = gym.register_games(
        [str(path)],
        asked,
        batch_size=1,
        asynchronous=False,
        max_episode_steps=MOVES,
        wrappers=[worlds.AlfredDemangler(shuffle=False), worlds.AlfredInfos],
    )
    game: Game = gym.make(name)
    return game


def commands_in(text: str) -> list[str]:
    """One command per line, bullets and numbers aside; only what a fence holds when there is one."""
    fenced = _FENCE.search(text)
    lines = (fenced[1] if fenced else text).splitlines()
    return [command for line in lines if (command := _LISTED.sub("", line).strip().strip("`").lower())]


# -- playing ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class World:
    """Where the games are and how one is opened."""

    folder: Path
    open: Opener
    moves: int

    def game(self, task: Task) -> Game:
        return self.open(_game_file(self.folder, str(wanted(task, "gamefile")), f"task {task.id!r}"))


@dataclass(frozen=True)
class Played:
    """Won within the limit of moves; what the game said last is told."""

    world: World
    name: str = "alfworld@1"

    def score(self, task: Task, answer: Answer) -> Score:
        game = self.world.game(task)
        try:
            seen, _ = game.reset()
            for command in commands_in(answer.text)[: self.world.moves]:
                seen, _, done, told = game.step([command])
                if told["won"][0]:
                    return Score(1, 1)
                if done[0]:
                    break
        finally:
            game.close()
        return Score(0, 0, f"the game was not won; it said last: {str(seen[0])[-500:]}")


@dataclass
class Play:
    """A game in progress: the last line of what the student says is its next command."""

    game: Game
    commands: list[str] = field(default_factory=list)

    def begin(self) -> str:
        seen, told = self.game.reset()
        return _shown(str(seen[0]), told)

    def reply(self, said: str) -> str | None:
        found = commands_in(said)
        if not found:
            return "That was no command. Answer with one command."
        self.commands.append(found[-1])
        seen, _, done, told = self.game.step([found[-1]])
        return None if done[0] or told["won"][0] else _shown(str(seen[0]), told)

    def answer(self) -> Answer:
        return Answer("\n".join(self.commands))

    def close(self) -> None:
        self.game.close()


def _shown(seen: str, told: Mapping[str, Sequence[object]]) -> str:
    possible = cast("Sequence[str]", told.get("admissible_commands", [()])[0])
    return f"{seen.strip()}\n\nPossible commands: {', '.join(possible)}" if possible else seen.strip()


# -- the suite -------------------------------------------------------------------------------------------


def _game_file(folder: Path, name: str, where: str) -> Path:
    given = Path(os.path.expandvars(name))
    roots = [folder, Path(os.environ.get("ALFWORLD_DATA", folder))]
    for place in (given, *(root / given for root in roots)):
        if place.is_file():
            return place
    raise TaskError(
        f"{where}: the game {name!r} is neither under {folder} nor under $ALFWORLD_DATA; "
        "get the games with `alfworld-download` and set ALFWORLD_DATA"
    )


def _task(row: Row, options: Json) -> Task:
    name = row.text("gamefile")
    _game_file(row.root, name, row.where)
    kind = row.text("task_type", default="")
    if kind not in KINDS:
        raise TaskError(f"{row.where}: the task_type {kind!r} is none of {', '.join(KINDS)}")
    goal = row.text("task", "instruction", default=kind.replace("_", " "))
    form = FORMS[options["mode"]].format(moves=options["max_steps"])
    return Task(
        row.text("id"), filled(ALFWORLD.prompt, goal=goal, form=form), {"gamefile": name, "task_type": kind}
    )


def _world(tools: Tools) -> World:
    mode, own = tools.options["mode"], str(tools.options["world"])
    if mode not in FORMS:
        raise SettingsError(f"the suite alfworld has no mode {mode!r}; it has {', '.join(FORMS)}")
    if own:
        opener = cast(Opener, load_own(own, what="the text world"))
    else:
        opener = open_game
        require("alfworld", for_what=PLAYING)
        require("textworld", for_what=PLAYING)
    return World(tools.folder, opener, int(tools.options["max_steps"]))


def _turns(tools: Tools) -> Turns | None:
    world = _world(tools)
    if tools.options["mode"] == "single":
        return None
    return Turns("alfworld_turns@1", world.moves, lambda task: Play(world.game(task)))


ALFWORLD = Suite(
    name="alfworld",
    about="household tasks in a text world; won or not",
    files=("items.json", "items.jsonl"),
    task=_task,
    scorers={"alfworld@1": lambda tools: Played(_world(tools))},
    options={"mode": "multi", "max_steps": MOVES, "world": ""},
    turns=_turns,
    source=Source("", (), "MIT", command="run: pip install 'sharpen[alfworld]' && alfworld-download"),
    student="turns",
)
