"""Many patches into one pool, and the few items of it that a step may use.

With a model: a tree of merges, all groups of a level at once, failures and successes apart and then
together. Without: items that say nearly the same are united, and of contradictions the better supported
stays. Either way support is added up here, from the items that went into each result, never taken from a
model's word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sharpen.evaluate import Answer, Proposal, Question
from sharpen.skills import Skill
from sharpen.train.batch.items import LISTS, Item, Kind, essence, says_something, united
from sharpen.train.batch.reflecting import SOURCES, Patch, Side
from sharpen.train.means import Means

ALIKE = 0.6
"""Share of common words from which an addition that another one holds counts as the same."""
NEGATIONS = frozenset({"no", "not", "never", "none", "without", "don", "avoid", "unless", "except"})


@dataclass(frozen=True)
class Pool:
    """Items to choose from, best supported first where nobody ranked them."""

    items: tuple[Item, ...]
    reasoning: str = ""
    details: dict[str, Any] = field(default_factory=dict)

    def as_json(self, kind: Kind) -> dict[str, Any]:
        return {"reasoning": self.reasoning, LISTS[kind]: [dict(item) for item in self.items], **self.details}


class Merging:
    """Merges and ranks for one run."""

    def __init__(self, means: Means, kind: Kind) -> None:
        self._runner, self._kind, self._batch = means.runner, kind, means.settings.batch
        self._reserve = means.plan.search

    async def merge(self, patches: Sequence[Patch], skill: Skill) -> Pool:
        """One pool from all patches."""
        sides = {
            side: [Pool(patch.items) for patch in patches if patch.side == side and patch.items]
            for side in SOURCES
        }
        full = [pool for pools in sides.values() for pool in pools]
        if len(full) < 2 or not self._by_model(len(full)):
            return self._plain(full)
        level = 0
        while any(len(pools) > 1 for pools in sides.values()):
            level += 1
            sides = await self._merged_once(sides, skill, level)
        (pool,) = await self._ask(
            [([p for pools in sides.values() for p in pools], "final")], skill, level + 1
        )
        return pool

    async def _merged_once(
        self, sides: Mapping[Side, list[Pool]], skill: Skill, level: int
    ) -> dict[Side, list[Pool]]:
        """Both sides one level up the tree: every group of patches into one, all groups at once."""
        width = self._batch.merge_batch
        cut = [
            (side, pools[start : start + width])
            for side, pools in sides.items()
            for start in range(0, len(pools), width)
        ]
        merged = await self._ask([(pools, SOURCES[side]) for side, pools in cut], skill, level)
        return {
            side: [pool for (own, _), pool in zip(cut, merged, strict=True) if own == side] for side in sides
        }

    async def select(self, pool: Pool, skill: Skill, *, budget: int) -> Pool:
        """The `budget` items that a step uses."""
        if len(pool.items) <= budget:
            return pool
        chosen, reasoning, by = await self._ranked(pool, skill, budget)
        details = {"reasoning": reasoning, "selected_indices": chosen, "ranked_by": by}
        note = f"{pool.reasoning} [ranked by {by}: {len(chosen)} of {len(pool.items)}]".strip()
        return Pool(tuple(pool.items[i] for i in chosen), note, {**pool.details, "ranking_details": details})

    async def _ranked(self, pool: Pool, skill: Skill, budget: int) -> tuple[list[int], str, str]:
        """Which items, why, and who said so."""
        if self._batch.merging == "model" and self._by_model(1):
            material = {"kind": self._kind, "items": pool.items, "budget": budget}
            (answer,) = await self._runner.run(
                [self._question("rank", material, skill)], reserve=self._reserve
            )
            data = answer.data if isinstance(answer, Proposal) else {}
            chosen = _unique(data.get("selected_indices"), len(pool.items))[:budget]
            if chosen:
                return chosen, str(data.get("reasoning", "")), "teacher"
        order = sorted(range(len(pool.items)), key=lambda i: _rank(pool.items[i]))
        return order[:budget], "most support first", "support"

    def _by_model(self, patches: int) -> bool:
        """Is a model asked? Never when it cannot be, or when the calls it may take are not all there."""
        batch = self._batch
        if batch.merging == "plain" or not self._runner.advises:
            return False
        if batch.merging == "auto" and patches <= batch.merge_batch:
            return False
        return self._runner.can_ask(2 * patches + 2, reserve=self._reserve)

    async def _ask(
        self, groups: Sequence[tuple[Sequence[Pool], str]], skill: Skill, level: int
    ) -> list[Pool]:
        """One merge per group, all at once; a group of one is left as it is."""
        several = [i for i, (pools, _) in enumerate(groups) if len(pools) > 1]
        questions = [
            self._question(
                "merge",
                {"kind": self._kind, "items": _all(groups[i][0]), "level": level, "priority": groups[i][1]},
                skill,
            )
            for i in several
        ]
        answers = dict(zip(several, await self._runner.run(questions, reserve=self._reserve), strict=True))
        return [
            self._merged(answers[i], pools, level) if i in answers else pools[0]
            for i, (pools, _) in enumerate(groups)
        ]

    def _merged(self, answer: Answer, pools: Sequence[Pool], level: int) -> Pool:
        """What the teacher made of the pools; by plain rules, and saying so, where that cannot be used."""
        items = self._with_support(answer, _all(pools), level) if isinstance(answer, Proposal) else ()
        if not items or not isinstance(answer, Proposal):
            return replace(self._plain(pools), details={"merged_by": "rules: no usable answer"})
        return Pool(items, str(answer.data.get("reasoning", "")), {"merged_by": "teacher"})

    def _question(self, matter: str, material: dict[str, Any], skill: Skill) -> Question:
        items = [dict(item) for item in material["items"]]
        return Question(skill, (), limit=1, matter=matter, material={**material, "items": items})

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
        return self._plain([Pool(tuple(found))], loosely=False).items

    def _plain(self, pools: Sequence[Pool], *, loosely: bool = True) -> Pool:
        """Equal items united, `loosely` also those of which one says all that the other does.

        Of contradicting edits the better supported stays.
        """
        same: dict[object, list[Item]] = {}
        for item in _all(pools):
            same.setdefault(essence(self._kind, item), []).append(item)
        alike: list[list[Item]] = []
        for members in sorted(same.values(), key=lambda items: _rank(united(items, level=0))):
            near = [those for those in alike if loosely and _alike(self._kind, those[0], members[0])]
            if near:
                near[0].extend(members)
            else:
                alike.append(list(members))
        pool = [
            {**members[0], **united(members, level=max(int(m.get("merge_level", 0)) for m in members))}
            for members in alike
        ]
        return Pool(tuple(self._without_contradictions(pool)), details={"merged_by": "rules"})

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


def _all(pools: Sequence[Pool]) -> list[Item]:
    return [item for pool in pools for item in pool.items]


def _alike(kind: Kind, one: Item, other: Item) -> bool:
    """Does one addition say all that the other does, and hardly more? Other changes must be equal."""
    if kind == "candidates" or (kind == "edits" and {one["op"], other["op"]} != {"append"}):
        return False
    if one.get("file", "") != other.get("file", ""):
        return False
    field = "content" if kind == "edits" else "instruction"
    words, others = (set(re.findall(r"\w+", str(item[field]).casefold())) for item in (one, other))
    within = words <= others or others <= words
    return (
        within and len(words & others) >= ALIKE * len(words | others) and _telling(words) == _telling(others)
    )


def _telling(words: set[str]) -> set[str]:
    """Figures and negations: rules that differ in one are different rules."""
    return {word for word in words if word in NEGATIONS or any(map(str.isdigit, word))}


def _rank(item: Item) -> tuple[bool, int]:
    """Failures before successes, more support before less."""
    return item.get("source_type") != "failure", -int(item.get("support_count", 1))


def _unique(value: object, count: int) -> list[int]:
    """Valid positions, each once, in the order given."""
    given = value if isinstance(value, list) else []
    return list(dict.fromkeys(i for i in given if type(i) is int and 0 <= i < count))
