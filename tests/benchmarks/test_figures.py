"""Targets, tables and the bookkeeping of the benchmark scripts."""

from __future__ import annotations

import argparse
from dataclasses import replace

import pytest

from nulls import spread, upper_bound
from outcomes import Outcome
from ruleworld import head_of, jobs_for, parsed, rows_of
from sharpen.simulate import WORLDS
from tables import table
from targets import TARGETS, missed, target_of

RUN = Outcome(
    loop="sharpen", world="slip.1", seed=0, rollouts=400, calls=30, accepted=1, solved=True, test=0.97,
    reported=0.9, expected=0.9, own_seconds=0.1,
)  # fmt: skip


def runs(*tests: float, **changes: object) -> list[Outcome]:
    return [replace(RUN, seed=seed, test=test, **changes) for seed, test in enumerate(tests)]  # type: ignore[arg-type]


def test_every_world_has_a_target() -> None:
    assert all(str(target_of(world)) for world in WORLDS)
    assert set(TARGETS) <= set(WORLDS)


def test_a_mean_within_one_standard_error_counts_as_reached() -> None:
    assert missed("slip.1", runs(0.96, 0.97), {}) == []
    assert missed("slip.1", runs(0.90, 1.00), {}) == []
    assert missed("slip.1", runs(0.95, 0.95), {}) == ["test"]


def test_rollouts_and_honesty_get_no_allowance() -> None:
    assert missed("slip.1", runs(1.0, 1.0, rollouts=451), {}) == ["rollouts"]
    assert missed("slip.1", runs(1.0, 1.0, reported=0.93), {}) == ["honesty"]


def test_a_clean_world_wants_every_run_solved() -> None:
    assert missed("binary", runs(1.0, 1.0, rollouts=140), {}) == []
    assert missed("binary", runs(1.0, 1.0, rollouts=140, solved=False), {}) == ["solved"]


def test_not_below_a_rival_is_paired_by_seed_and_needs_the_rival() -> None:
    mine = runs(0.80, 0.90)
    assert missed("mixed.drop", mine, {"skillopt": runs(0.79, 0.89)}) == []
    assert missed("mixed.drop", mine, {"skillopt": runs(0.85, 0.95)}) == ["rival skillopt"]
    assert missed("mixed.drop", mine, {}) == ["rival skillopt"]


def test_the_wall_clock_must_be_measured() -> None:
    assert missed("large", runs(1.0, 1.0, wall=300.0), {}) == []
    assert missed("large", runs(1.0, 1.0, wall=400.0), {}) == ["wall"]
    assert missed("large", runs(1.0, 1.0), {}) == ["wall"]


def test_one_null_run_in_twenty_may_accept() -> None:
    quiet, loud = runs(*[0.2] * 19, accepted=0), runs(0.2, accepted=1)
    assert missed("null.1", quiet + loud, {}) == []
    assert missed("null.1", quiet + 3 * loud, {}) == ["accepts"]


def test_rows_match_the_head() -> None:
    loops = ("sharpen", "gepa")
    found = {(loop, world): runs(0.9, 1.0) for loop in loops for world in ("slip.1", "null.1", "binary")}
    head, rows = head_of(loops), rows_of(found, loops, ("slip.1", "null.1", "binary"))
    assert {len(row) for row in rows} == {len(head)}
    assert table(head, rows, markdown=True).count("\n") == len(rows) + 1
    assert table(head, rows).splitlines()[2].startswith("slip.1")


def test_jobs_cover_every_loop_world_and_seed_once() -> None:
    jobs = jobs_for(("sharpen", "gepa"), ("binary", "slip.1"), range(7))
    played = [(job.loop, job.world, seed) for job in jobs for seed in job.seeds]
    assert len(played) == len(set(played)) == 2 * 2 * 7


def test_arguments() -> None:
    asked = parsed(["--seeds", "0-2", "--worlds", "binary,null.1", "--rivals", "none"])
    assert (asked.seeds, asked.worlds, asked.rivals) == ((0, 1, 2), ("binary", "null.1"), ())
    assert parsed([]).worlds == tuple(WORLDS)
    with pytest.raises((SystemExit, argparse.ArgumentTypeError)):
        parsed(["--worlds", "nowhere"])


def test_null_runs_are_spread_evenly_over_worlds_with_fresh_seeds() -> None:
    planned = spread(("race", "strict"), ("null.1", "null.2"), runs=5, first=1000)
    assert len(planned) == len(set(planned)) == 10
    assert [run.world for run in planned[:5]].count("null.1") == 3
    assert min(run.seed for run in planned) == 1000


@pytest.mark.parametrize(("accepts", "n", "bound"), [(0, 200, 0.0149), (1, 20, 0.2161), (5, 100, 0.1023)])
def test_the_upper_bound_is_clopper_and_pearsons(accepts: int, n: int, bound: float) -> None:
    assert upper_bound(accepts, n) == pytest.approx(bound, abs=2e-4)
