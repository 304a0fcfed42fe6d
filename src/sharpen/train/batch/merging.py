"""Many patches into one pool, and the few items of it that a step may use.

With a model: a tree of merges, each begun as soon as its members are there, failures before successes, both
sides at once. Without: items that say nearly the same are united, and of contradictions the better supported
stays. Either way support is added up here, from the items that went into each result, never taken from a
model's word.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sharpen.evaluate import Proposal, Question
from sharpen.skills import Skill
from sharpen.train.batch.items import Item, Kind, essence, says_something, united
from sharpen.train.batch.reflecting import Patch
from sharpen.train.means import Means

ALIKE = 0.6
"""Share of common words from which two additions count as one."""
NEGATIONS = frozenset({"no", "not", "never", "none", "without", "don", "avoid", "unless", "except"})


@dataclass(frozen=True)
class Pool:
    """Items to choose from, best supported first where nobody ranked them."""

    items: tuple[Item, ...]
    reasoning: str = ""
    details: dict[str, Any] = field(default_factory=dict)

    def as_json(self, kind: Kind) -> dict[str, Any]:
        name = {"edits": "edits", "suggestions": "revise_suggestions", "candidates": "skill_candidates"}[kind]
        return {"reasoning": self.reasoning, name: [dict(item) for item in self.items], **self.details}


class Merging:
    """Merges and ranks for one run."""

    def __init__(self, means: Means, kind: Kind) -> None:
        self._runner, self._kind, self._batch = means.runner, kind, means.settings.batch
        self._reserve = means.plan.search

    async def merge(self, patches: Sequence[Patch], skill: Skill) -> Pool:
        """One pool from all patches."""
        sides = {
            side: [patch.items for patch in patches if patch.side == side and patch.items]
            for side in ("fail", "succ")
        }
        full = sides["fail"] + sides["succ"]
        if len(full) < 2 or not self._by_model(len(full)):
            return self._plain(full)
        failed, solved = await asyncio.gather(
            self._tree(sides["fail"], skill, "failure"), self._tree(sides["succ"], skill, "success")
        )
        if not failed.items or not solved.items:
            return failed if failed.items else solved
        level = 1 + max(int(item["merge_level"]) for item in (*failed.items, *solved.items))
        return await self._ask([failed.items, solved.items], skill, level=level, priority="final")

    async def select(self, pool: Pool, skill: Skill, *, budget: int) -> Pool:
        """The `budget` items that a step uses."""
        if len(pool.items) <= budget:
            return pool
        if self._batch.merging == "model" and self._by_model(1):
            material = {"kind": self._kind, "items": [dict(i) for i in pool.items], "budget": budget}
            answer = await self._consult("rank", material, skill)
            chosen = _indices(answer, len(pool.items))[:budget] if answer else []
            if chosen:
                said = {"reasoning": str(answer.data.get("reasoning", "")) if answer else ""}
                details = {"ranking_details": {**said, "selected_indices": chosen}}
                note = f"{pool.reasoning} [ranked by the teacher: {len(chosen)} of {len(pool.items)}]"
                return Pool(tuple(pool.items[i] for i in chosen), note.strip(), details)
        order = sorted(range(len(pool.items)), key=lambda i: _rank(pool.items[i]))[:budget]
        note = f"{pool.reasoning} [by support: {len(order)} of {len(pool.items)}]"
        details = {"ranking_details": {"reasoning": "support", "selected_indices": order}}
        return Pool(tuple(pool.items[i] for i in order), note.strip(), details)

    def _by_model(self, patches: int) -> bool:
        """Is a model asked? Never when it cannot be, or when the calls it may take are not all there."""
        batch = self._batch
        if batch.merging == "plain" or not self._runner.advises:
            return False
        if batch.merging == "auto" and patches <= batch.merge_batch:
            return False
        return self._runner.can_ask(2 * patches + 2, reserve=self._reserve)

    async def _tree(
        self, groups: Sequence[tuple[Item, ...]], skill: Skill, side: str, level: int = 1
    ) -> Pool:
        """Merge by groups until one is left; a group's own tree goes on while others are still at theirs."""
        width = self._batch.merge_batch
        if len(groups) <= width:
            return await self._ask(groups, skill, level=level, priority=side)
        depth = width
        while depth * width < len(groups):
            depth *= width
        parts = [groups[start : start + depth] for start in range(0, len(groups), depth)]
        merged = await asyncio.gather(*(self._tree(part, skill, side, level) for part in parts))
        above = 1 + max((int(item["merge_level"]) for pool in merged for item in pool.items), default=level)
        return await self._ask(
            [pool.items for pool in merged if pool.items], skill, level=above, priority=side
        )

    async def _ask(
        self, groups: Sequence[tuple[Item, ...]], skill: Skill, *, level: int, priority: str
    ) -> Pool:
        if len(groups) < 2:
            return Pool(groups[0] if groups else ())
        items = [item for group in groups for item in group]
        material = {
            "kind": self._kind,
            "items": [dict(i) for i in items],
            "level": level,
            "priority": priority,
        }
        answer = await self._consult("merge", material, skill)
        merged = self._with_support(answer, items, level) if answer else ()
        if not merged:
            return self._plain(groups)
        return Pool(merged, str(answer.data.get("reasoning", "")) if answer else "")

    async def _consult(self, matter: str, material: dict[str, Any], skill: Skill) -> Proposal | None:
        question = Question(skill, (), limit=1, matter=matter, material=material)
        (answer,) = await self._runner.run([question], reserve=self._reserve)
        return answer if isinstance(answer, Proposal) and not answer.error else None

    def _with_support(self, answer: Proposal, items: Sequence[Item], level: int) -> tuple[Item, ...]:
        """The merged items that name what they were made of."""
        found = []
        for item in answer.data.get("items") or ():
            if not isinstance(item, dict):
                continue
            sources = [items[i] for i in _unique(item.get("sources"), len(items))]
            plain = {name: value for name, value in item.items() if name != "sources"}
            if sources and says_something(self._kind, plain):
                found.append({**plain, **united(sources, level=level)})
        return self._plain([tuple(found)]).items

    def _plain(self, groups: Sequence[tuple[Item, ...]]) -> Pool:
        """Items that say nearly the same united; of contradicting edits the better supported stays."""
        same: dict[object, list[Item]] = {}
        for group in groups:
            for item in group:
                same.setdefault(essence(self._kind, item), []).append(item)
        alike: list[list[Item]] = []
        for members in sorted(same.values(), key=lambda items: _rank(united(items, level=0))):
            near = next((those for those in alike if _alike(self._kind, those[0], members[0])), None)
            if near is None:
                alike.append(list(members))
            else:
                near.extend(members)
        pool = [
            {**members[0], **united(members, level=max(int(m.get("merge_level", 0)) for m in members))}
            for members in alike
        ]
        return Pool(tuple(self._without_contradictions(pool)))

    def _without_contradictions(self, items: Sequence[Item]) -> list[Item]:
        """One edit per target that is replaced or deleted."""
        if self._kind != "edits":
            return list(items)
        best: dict[object, Item] = {}
        for item in sorted(items, key=_rank):
            if item["op"] in ("replace", "delete"):
                best.setdefault((item.get("file", ""), " ".join(str(item["target"]).split())), item)
        kept = {id(item) for item in best.values()}
        return [item for item in items if item["op"] not in ("replace", "delete") or id(item) in kept]


def _alike(kind: Kind, one: Item, other: Item) -> bool:
    """Do two additions say the same in other words? Changes to the text must be equal to count as one."""
    if kind == "candidates" or (kind == "edits" and {one["op"], other["op"]} != {"append"}):
        return False
    if one.get("file", "") != other.get("file", ""):
        return False
    field = "content" if kind == "edits" else "instruction"
    words, others = (set(re.findall(r"\w+", str(item[field]).casefold())) for item in (one, other))
    return len(words & others) >= ALIKE * len(words | others) and _telling(words) == _telling(others)


def _telling(words: set[str]) -> set[str]:
    """Figures and negations: rules that differ in one are different rules."""
    return {word for word in words if word in NEGATIONS or any(map(str.isdigit, word))}


def _rank(item: Item) -> tuple[bool, int]:
    """Failures before successes, more support before less."""
    return item.get("source_type") != "failure", -int(item.get("support_count", 1))


def _indices(answer: Proposal, count: int) -> list[int]:
    return _unique(answer.data.get("selected_indices"), count)


def _unique(value: object, count: int) -> list[int]:
    """Valid positions, each once, in the order given."""
    given = value if isinstance(value, list) else []
    return list(dict.fromkeys(i for i in given if type(i) is int and 0 <= i < count))
