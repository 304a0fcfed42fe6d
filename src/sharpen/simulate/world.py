"""RuleWorld: problems whose truth is known, so that a loop's claims can be checked against it.

A skill is a list of lines `- R07: …`; a task needs some rules and is broken by one trap. Every random
number is a hash of named parts, never of the order of calls: the same attempt (task, lines, trial) always
ends the same way. The world knows nothing of loops, budgets or stores.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import NamedTuple

from sharpen.errors import UsageError
from sharpen.simulate.spec import WORLDS, Spec
from sharpen.skills import Edit, Skill
from sharpen.types import Task, TaskSet

Tags = frozenset[str]


def hash64(*parts: object) -> int:
    """The only source of randomness: 64 bits of SHA-256 over the parts joined by `|`."""
    return int.from_bytes(sha256("|".join(map(str, parts)).encode()).digest()[:8], "big")


def uniform(*parts: object) -> float:
    return hash64(*parts) / 2**64


@lru_cache(maxsize=65536)
def tags_of(text: str) -> Tags:
    """The rules, traps and neutral lines present in a skill text."""
    return frozenset(re.findall(r"^- ([RTN]\d\d):", text, flags=re.MULTILINE))


@lru_cache(maxsize=65536)
def _spelled(tags: Tags) -> str:
    """Sorted tags, each followed by `|`: how a set of lines enters a dice roll."""
    return "".join(f"{tag}|" for tag in sorted(tags))


def line_of(tag: str) -> str:
    return f"- {tag}: follow rule {tag}"


class Seen(NamedTuple):
    """What a student reports: a score (None when nothing was measured) and one line of feedback."""

    score: float | None
    feedback: str


@dataclass(frozen=True)
class Truth:
    """A task as the world sees it. `split` is `train`, `val` or `test`: the names in the dice rolls."""

    split: str
    index: int
    needs: tuple[str, ...]
    trap: str

    @property
    def id(self) -> str:
        return f"{self.split}-{self.index}"


class World:
    """One simulated problem: tasks, their truth, and what a student or a teacher would answer."""

    def __init__(self, spec: Spec, *, seed: int = 0, name: str = "custom") -> None:
        self.spec, self.seed, self.name = spec, seed, name
        sizes = {"train": spec.train, "val": spec.selection, "test": spec.test}
        self.splits = {s: tuple(self._make(s, i) for i in range(n)) for s, n in sizes.items()}
        self.truths = {truth.id: truth for truths in self.splits.values() for truth in truths}
        self._partner = {a: b for pair in spec.together for a, b in (pair, pair[::-1])}
        self._rival = dict(spec.conflict)
        self._effects: dict[str, dict[str, float]] = {}

    @classmethod
    def named(cls, name: str, *, seed: int = 0) -> World:
        if name not in WORLDS:
            raise UsageError(f"no simulated world is called {name!r}; there are: {', '.join(WORLDS)}")
        return cls(WORLDS[name], seed=seed, name=name)

    @cached_property
    def skill(self) -> Skill:
        """The starting skill."""
        return Skill.from_text(
            "# Skill\n" + "".join(f"{line_of(f'R{k:02d}')}\n" for k in range(self.spec.known))
        )

    def tasks(self, *, test: bool = False) -> TaskSet:
        """The splits as a training loop gets them; the test split is left out unless asked for."""
        made = {
            split: [Task(t.id, f"simulated task {t.id}") for t in ts] for split, ts in self.splits.items()
        }
        return TaskSet(train=made["train"], selection=made["val"], test=made["test"] if test else ())

    # -- how tasks are made -------------------------------------------------------------------------

    def _make(self, split: str, index: int) -> Truth:
        spec, seed = self.spec, self.seed
        pool = spec.crisp or spec.rules
        trap = hash64(seed, "trap", split, index) % (spec.crisp or spec.traps)
        if split == "train" and index < pool and not spec.diffuse:
            needs = [index]  # one task per rule, so that greedy search can always progress
        else:
            needs = []
            wanted = 1 + hash64(seed, "count", split, index) % 3
            draws = (hash64(seed, "need", split, index, j) % pool for j in itertools.count())
            while len(needs) < wanted:
                rule = next(draws)
                if rule not in needs:
                    needs.append(rule)
        return Truth(split, index, tuple(f"R{k:02d}" for k in needs), f"T{trap:02d}")

    def is_diffuse(self, truth: Truth) -> bool:
        """In a mixed world the odd tasks are diffuse, the even ones crisp."""
        return self.spec.diffuse >= 1 or (self.spec.diffuse > 0 and truth.index % 2 == 1)

    def effects(self, truth: Truth) -> dict[str, float]:
        """Diffuse tasks: the base chance (under "") and what each rule or trap that applies adds to it."""
        if truth.id not in self._effects:
            self._effects[truth.id] = self._draw_effects(truth)
        return self._effects[truth.id]

    def _draw_effects(self, truth: Truth) -> dict[str, float]:
        where = (truth.split, truth.index)
        effects = {"": 0.15 + 0.3 * uniform(self.seed, "diffuse", "base", *where)}
        kinds = (("R", self.spec.rules, 0.05, 0.10, 1), ("T", self.spec.traps, 0.03, 0.08, -1))
        for kind, count, low, high, sign in kinds:
            for tag in (f"{kind}{k:02d}" for k in range(self.spec.crisp, count)):
                reach = 0.3 + 0.3 * uniform(self.seed, "diffuse", "reach", tag)
                if uniform(self.seed, "diffuse", tag, *where) < reach:
                    effects[tag] = sign * (low + (high - low) * uniform(self.seed, "diffuse", "size", tag))
        return effects

    # -- the truth: free, for judging loops -----------------------------------------------------------

    def chance(self, truth: Truth, tags: Tags) -> float:
        effects = self.effects(truth)
        return min(0.98, max(0.02, effects[""] + sum(effects.get(tag, 0.0) for tag in sorted(tags))))

    def faults(self, truth: Truth, tags: Tags) -> list[str]:
        """What is wrong, in the order a student would notice; `X09` means rule R09 is in the way."""
        found = [truth.trap] if truth.trap in tags else []
        for rule in truth.needs:
            rival = self._rival.get(rule)
            if rule not in tags:
                found.append(rule)
            elif self._partner.get(rule, rule) not in tags:
                found.append(self._partner[rule])
            elif rival in tags and rival not in truth.needs:
                found.append(f"X{rival[1:]}" if rival else "")
        return found

    def _score(self, truth: Truth, tags: Tags, faults: Sequence[str]) -> float:
        if self.spec.mode == "binary":
            return 0.0 if faults else 1.0
        if self.spec.mode == "soft":
            return max(0.0, 1 - 0.15 * len(faults))
        missing = sum(fault[0] != "T" for fault in faults)
        return (1 - missing / len(truth.needs)) * (0.5 if truth.trap in tags else 1.0)

    def _forgets(self, tags: Tags) -> float:
        over = max(0, len(tags) - self.spec.limit) if self.spec.limit else 0
        return min(0.9, self.spec.penalty * over)

    def _flip(self, truth: Truth) -> float:
        if self.spec.flaky:
            return 0.4 if uniform(self.seed, "flaky", truth.split, truth.index) < self.spec.flaky else 0.02
        return self.spec.slip

    def clean(self, truth: Truth, skill: str) -> float:
        """Expected score without flips; in diffuse and mixed worlds the true chance of success."""
        tags = tags_of(skill)
        if self.is_diffuse(truth):
            return self.chance(truth, tags)
        score = self._score(truth, tags, self.faults(truth, tags)) * (1 - self._forgets(tags))
        return score * (1 - 2 * self.spec.slip) + self.spec.slip if self.spec.diffuse else score

    def expected(self, truth: Truth, skill: str) -> float:
        """Expected observed score of one attempt: what an honest report should show."""
        score = self.clean(truth, skill)
        if self.spec.diffuse:
            return score
        if self.spec.mode == "soft":  # noise above 1 is cut off
            return score - (0.025 if score > 0.95 else 0.0)
        flip = self._flip(truth)
        return score * (1 - 2 * flip) + flip

    def clean_mean(self, split: str, skill: str) -> float:
        truths = self.splits[split]
        return sum(self.clean(truth, skill) for truth in truths) / len(truths)

    def expected_mean(self, split: str, skill: str) -> float:
        truths = self.splits[split]
        return sum(self.expected(truth, skill) for truth in truths) / len(truths)

    def best_mean(self, split: str) -> float:
        """The best reachable clean mean; below 1 only with conflicting or diffuse rules."""
        rules = [f"R{k:02d}" for k in range(self.spec.rules)]
        choices = itertools.product(*((None, a, b) for a, b in self.spec.conflict))
        skills = ("".join(f"{line_of(r)}\n" for r in rules if r not in gone) for gone in choices)
        return max(self.clean_mean(split, skill) for skill in skills)

    # -- what the actors would answer -----------------------------------------------------------------

    def rollout(self, truth: Truth, skill: str, *, trial: int) -> Seen:
        """One attempt. The dice are keyed by task, lines and trial."""
        spec, tags = self.spec, tags_of(skill)

        def dice(what: str) -> float:
            return uniform(f"{self.seed}|{what}|{truth.split}|{truth.index}|{_spelled(tags)}{trial}")

        if self.is_diffuse(truth):
            lucky = dice("luck") < self.chance(truth, tags)
            return Seen(1.0, "OK") if lucky else Seen(0.0, f"WEAK {truth.id}")
        faults = self.faults(truth, tags)
        score = self._score(truth, tags, faults)
        feedback = f"FAULT {faults[0]}" if faults else "OK"
        if spec.errors and dice("error") < spec.errors:
            return Seen(None, "ERROR")
        forgets = self._forgets(tags)
        if forgets and score and dice("forget") < forgets:
            score, feedback = 0.0, "FAULT unknown"
        if faults and spec.mislead and dice("mislead") < spec.mislead:
            wrong = hash64(self.seed, "wrong", truth.split, truth.index, trial) % spec.rules
            feedback = f"FAULT R{wrong:02d}"
        if spec.mode == "soft":
            return Seen(min(1.0, max(0.0, score + 0.2 * (dice("soft") - 0.5))), feedback)
        flip = self._flip(truth)
        if flip and dice("slip") < flip:
            score = 1.0 - score
            feedback = "OK" if score >= 1.0 else (feedback if faults else "FAULT unknown")
        return Seen(score, feedback)

    def propose(self, skill: str, feedbacks: Iterable[str], *, call: object) -> list[Edit]:
        """One teacher call: up to `bundle` edits, each right with probability `accuracy`.

        `call` names the call; two calls with the same name and arguments answer the same.
        """
        tags = tags_of(skill)
        seen = self._hints(feedbacks, tags)
        chosen: list[tuple[str, str]] = []
        for k in range(self.spec.bundle):
            salt = (call,) if k == 0 else (call, k)
            choice = self._choose(seen, tags, salt)
            if choice not in chosen:
                chosen.append(choice)
        return [self._edit(op, tag, skill) for op, tag in chosen]

    def _hints(self, feedbacks: Iterable[str], tags: Tags) -> list[str]:
        """Faults named in the feedback; a vague failure hints at everything that would help its task."""
        seen: list[str] = []
        for feedback in feedbacks:
            named = re.fullmatch(r"FAULT ([RTX]\d\d)", feedback.strip())
            if named and named[1] not in seen:
                seen.append(named[1])
            vague = re.fullmatch(r"WEAK (\w+-\d+)", feedback.strip())
            if vague:
                seen += [
                    tag
                    for tag, effect in self.effects(self.truths[vague[1]]).items()
                    if tag and (effect > 0) != (tag in tags) and (effect > 0 or not self.spec.blind)
                ]
        return seen

    def _choose(self, seen: Sequence[str], tags: Tags, salt: tuple[object, ...]) -> tuple[str, str]:
        spec, seed = self.spec, self.seed
        if not spec.useless and seen and uniform(seed, "acc", *salt) < spec.accuracy:
            tag = seen[hash64(seed, "pick", *salt) % len(seen)]
            return ("add", tag) if tag[0] == "R" else ("drop", tag.replace("X", "R"))
        neutral = spec.useless or uniform(seed, "neutral", *salt) < spec.neutral
        pool = [f"N{k:02d}" for k in range(100)] if neutral else [f"T{k:02d}" for k in range(spec.traps)]
        free = [tag for tag in pool if tag not in tags] or pool
        return "add", free[hash64(seed, "hallucinate", *salt) % len(free)]

    def _edit(self, op: str, tag: str, skill: str) -> Edit:
        if op == "add":
            return Edit.append(line_of(tag))
        held = re.search(rf"^- {tag}:.*$", skill, flags=re.MULTILINE)
        return Edit.delete(held[0] if held else line_of(tag))

    def latency(self, *key: object) -> float:
        """Seconds a call takes: 0.5 plus an exponential of mean 0.5 (mean 1, long tail)."""
        return 0.5 - 0.5 * math.log(max(1e-9, uniform(self.seed, "latency", *key)))
