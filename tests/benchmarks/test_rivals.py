"""The rivals on the simulated worlds behave as their descriptions say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from outcomes import Outcome, parse_seeds
from rivals.player import Player, applied, makespan
from rivals.skillopt_shaped import play
from sharpen.simulate import World, line_of
from sharpen.skills import Edit


def test_attempts_are_numbered_per_task_and_lines() -> None:
    world = World.named("slip.2", seed=3)
    player, truths = Player(world), world.splits["train"][:5]
    played = [player.batch(truths, "# Skill\n") for _ in range(3)]
    told = [[world.rollout(truth, "# Skill\n", trial=n) for truth in truths] for n in (1, 2, 3)]
    assert played == told
    assert player.rollouts == 15


def test_an_error_scores_zero() -> None:
    world = World.named("errors", seed=0)
    seen = Player(world).batch(world.splits["train"] * 5, "# Skill\n")
    assert "ERROR" in {one.feedback for one in seen}
    assert all(one.score == 0 for one in seen if one.feedback == "ERROR")


def test_edits_add_a_line_once_and_take_whole_lines_out() -> None:
    one = applied("# Skill\n", [Edit.append(line_of("R01")), Edit.append(line_of("R01"))])
    assert one == f"# Skill\n{line_of('R01')}\n"
    assert applied(one, [Edit.delete(line_of("R01"))]) == "# Skill\n"
    assert applied(one, [Edit.delete(line_of("T01"))]) == one


@pytest.mark.parametrize(("count", "seconds"), [(0, 0.0), (1, 1.0), (16, 1.0), (17, 2.0), (40, 3.0)])
def test_the_makespan_on_sixteen_workers(count: int, seconds: float) -> None:
    assert makespan([1.0] * count) == seconds


def test_skillopt_shaped_solves_a_clean_world_and_stops_there() -> None:
    outcome = play("binary", 1)
    assert outcome.solved
    assert outcome.reported == outcome.expected == 1.0
    assert outcome.rollouts < 2000
    assert (outcome.rollouts - 20) % 60 == 0  # one pass at the start, then batches of 40 and gates of 20


def test_skillopt_shaped_accepts_noise_in_a_null_world() -> None:
    outcome = play("null.2", 0)
    assert outcome.accepted > 0
    assert outcome.bias > 0.05


def test_a_run_is_reproducible_and_survives_json() -> None:
    first, second = (replace(play("small", 2), own_seconds=0.0) for _ in range(2))
    assert first == second
    assert Outcome.from_json(first.to_json()) == first


def test_seeds_are_ranges_and_lists() -> None:
    assert parse_seeds("0-3,7,10-11") == (0, 1, 2, 3, 7, 10, 11)
