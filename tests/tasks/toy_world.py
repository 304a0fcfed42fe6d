"""A household of one mug, one drawer and one desk, with the calls of an ALFWorld batch of one game.

It is won when the mug lies on the desk. What it understands is what the tests say to it.
"""

from __future__ import annotations

from pathlib import Path


class ToyWorld:
    """Reset, step and close; `closed` tells the tests that nobody forgot it."""

    closed = 0

    def __init__(self, path: Path) -> None:
        self.path = path

    def reset(self) -> tuple[list[str], dict[str, list[object]]]:
        self.held = self.open = self.won = False
        return ["You are in a room. There is a drawer 1 and a desk 1."], self._told()

    def step(self, commands: list[str]) -> tuple[list[str], list[float], list[bool], dict[str, list[object]]]:
        command, said = commands[0], "Nothing happens."
        if command == "open drawer 1":
            self.open, said = True, "You open the drawer 1. In it you see a mug 1."
        elif command == "take mug 1 from drawer 1" and self.open:
            self.held, said = True, "You pick up the mug 1."
        elif command == "move mug 1 to desk 1" and self.held:
            self.won, said = True, "You move the mug 1 to the desk 1."
        return [said], [float(self.won)], [self.won], self._told()

    def close(self) -> None:
        ToyWorld.closed += 1

    def _told(self) -> dict[str, list[object]]:
        return {"won": [self.won], "admissible_commands": [["look", "open drawer 1"]]}
