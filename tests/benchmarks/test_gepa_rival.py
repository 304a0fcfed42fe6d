"""GEPA in its own environment: the known figures of single seeds. Skipped until that is made."""

from __future__ import annotations

import pytest

from environments import ROOT, lines_of
from outcomes import Outcome

MADE = (ROOT / ".cache" / "bench" / "gepa" / "packages.txt").exists()


@pytest.mark.skipif(not MADE, reason="run benchmarks/ruleworld.py once to make GEPA's environment")
def test_gepa_needs_as_many_rollouts_as_when_it_was_first_measured() -> None:
    lines = lines_of("gepa", "gepa_rival.py", ["--world", "binary", "--seeds", "0-3"])
    runs = [Outcome.from_json(line) for line in lines]
    assert [run.rollouts for run in runs] == [431, 398, 431, 383]
    assert all(run.solved and run.accepted == 12 for run in runs)
