"""A judge asked again about the work it judged: only its own verdicts count, and scores stay as they are."""

from __future__ import annotations

import json

from sharpen.models import Request, Simulated
from sharpen.tasks.scorers import Exact, Graded, Remembering, remembering, scorer_for
from sharpen.tasks.scoring import Answer
from sharpen.types import Task


def wavering(request: Request, trial: int) -> str:
    return json.dumps({"criteria": [{"evidence": "seen", "met": trial < 3}]})


def test_only_work_that_the_judge_judged_is_judged_again() -> None:
    plain = Task("plain", "Say yes.", {"answer": "yes"})
    judged = Task("judged", "Be warm.", {"check": {"kind": "rubric", "value": ["is warm"]}})
    scorer = remembering(scorer_for([plain, judged], "exact", Simulated("judge", wavering)))
    assert isinstance(scorer, Remembering)
    assert scorer.agreement() is None
    assert scorer.score(plain, Answer("yes")).hard == 1
    assert scorer.score(judged, Answer("hello")).hard == 1
    found = scorer.agreement()
    assert found is not None
    assert (found.works, found.repeats) == (1, 3)
    assert found.share == 1 / 3  # the first two verdicts agree, the third does not
    scorer.close()


def test_a_scorer_without_a_judge_is_left_alone_and_names_stay() -> None:
    assert remembering(Exact()) == Exact()
    checks = scorer_for([Task("t", "", {"check": {"kind": "regex", "value": "^a"}})], "exact")
    assert remembering(checks) is checks
    graded = Graded(Simulated("judge", wavering))
    assert remembering(graded).name == graded.name
