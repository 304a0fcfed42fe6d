"""GEPA 0.1.4 with default settings on a simulated world; run with the interpreter of its own environment.

    python gepa_rival.py --world slip.1 --seeds 0-19 [--budget N] [--run-dirs]

prints one JSON outcome per line. The reflection model is a function that reads GEPA's own prompt: the skill
from the first fenced block, the feedback from the `## Feedback` sections; it answers in a fenced block.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import gepa
from gepa.core.adapter import EvaluationBatch

from outcomes import CLEAN, Claim, Outcome, is_solved, judged, parse_seeds
from rivals.player import Player, applied
from sharpen.simulate import Seen, Truth, World, budget_of

_FENCED = re.compile(r"```\n(.*?)\n```", flags=re.DOTALL)
_FEEDBACK = re.compile(r"^## Feedback\n(.*)$", flags=re.MULTILINE)


class WorldAdapter:
    """GEPA's student. `spent` is the time that is not GEPA's own."""

    propose_new_texts = None  # without this attribute GEPA swallows an exception and proposes nothing

    def __init__(self, world: World) -> None:
        self.player = Player(world)
        self.spent = 0.0

    def evaluate(
        self, batch: list[Truth], candidate: dict[str, str], capture_traces: bool = False
    ) -> EvaluationBatch[Seen, str]:
        with self._paused():
            seen = self.player.batch(batch, candidate["skill"])
            scores = [one.score or 0.0 for one in seen]
            outputs = [one.feedback for one in seen]
        return EvaluationBatch(outputs=outputs, scores=scores, trajectories=seen if capture_traces else None)

    def make_reflective_dataset(
        self,
        candidate: dict[str, str],
        eval_batch: EvaluationBatch[Seen, str],
        components_to_update: list[str],
    ) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        with self._paused():
            rows = [{"Feedback": seen.feedback} for seen in eval_batch.trajectories or ()]
            return dict.fromkeys(components_to_update, rows)

    def reflect(self, prompt: str) -> str:
        """The reflection model: one proposal for the skill and the feedback in GEPA's prompt."""
        with self._paused():
            fenced = _FENCED.search(prompt)
            if fenced is None:
                raise ValueError("GEPA's prompt holds no fenced skill; has its template changed?")
            self.player.think(1)
            edits = self.player.propose(fenced[1], _FEEDBACK.findall(prompt))
            return f"```\n{applied(fenced[1], edits)}\n```"

    @contextmanager
    def _paused(self) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.spent += time.perf_counter() - began


class Oracle:
    """Stops a clean world as soon as the best reported candidate is truly solved."""

    def __init__(self, world: World) -> None:
        self.world = world

    def __call__(self, gepa_state: Any) -> bool:
        scores = gepa_state.program_full_scores_val_set
        best = max(range(len(scores)), key=scores.__getitem__)
        return is_solved(self.world, gepa_state.program_candidates[best]["skill"])


class Silent:
    def log(self, message: str) -> None:
        """Nothing."""


def play(name: str, seed: int, *, budget: int | None = None, run_dir: str | None = None) -> Outcome:
    """One run of GEPA's defaults on a named world."""
    world = World.named(name, seed=seed)
    adapter = WorldAdapter(world)
    began = time.perf_counter()
    with redirect_stdout(sys.stderr):
        result = gepa.optimize(
            seed_candidate={"skill": world.skill.text},
            trainset=list(world.splits["train"]),
            valset=list(world.splits["val"]),
            adapter=adapter,
            reflection_lm=adapter.reflect,
            max_metric_calls=budget or budget_of(name),
            stop_callbacks=[Oracle(world)] if name in CLEAN and budget is None else None,
            logger=Silent(),
            seed=seed,
            run_dir=run_dir,
        )
    own = time.perf_counter() - began - adapter.spent
    claim = Claim(
        text=result.candidates[result.best_idx]["skill"],
        reported=result.val_aggregate_scores[result.best_idx],
        rollouts=adapter.player.rollouts,
        calls=adapter.player.calls,
        accepted=result.num_candidates - 1,
        own_seconds=own,
        wall=adapter.player.wall,
    )
    return judged("gepa", world, claim)


def main() -> None:
    parser = argparse.ArgumentParser(description="GEPA's defaults on a simulated world, one JSON line a run")
    parser.add_argument("--world", required=True)
    parser.add_argument("--seeds", type=parse_seeds, default=(0,))
    parser.add_argument("--budget", type=int, help="rollouts; also switches the oracle stop off")
    parser.add_argument("--run-dirs", action="store_true", help="give each run a (temporary) run folder")
    parser.add_argument("--warm-up", action="store_true", help="play a short run first that is not counted")
    asked = parser.parse_args()
    if asked.warm_up:
        play("small", 0, budget=100)
    for seed in asked.seeds:
        folder = tempfile.TemporaryDirectory(prefix="gepa-") if asked.run_dirs else None
        outcome = play(asked.world, seed, budget=asked.budget, run_dir=folder.name if folder else None)
        print(outcome.to_json(), flush=True)
        with suppress(OSError):
            if folder:
                folder.cleanup()


if __name__ == "__main__":
    main()
