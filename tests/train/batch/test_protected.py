"""Whatever a teacher writes, in whichever mode: no protected byte and no frontmatter changes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpen import BatchSettings, Skill, TrainSettings
from sharpen.skills.regions import find_regions
from sharpen.train.batch.merging import Pool
from sharpen.train.batch.updating import Updating, notes_of, with_notes
from sharpen.train.means import Means

FRONT = "---\nname: skill\ndescription: A skill.\n---\n"
MARKERS = (
    "<!-- SLOW_UPDATE_START -->",
    "<!-- SLOW_UPDATE_END -->",
    "<!-- APPENDIX_START -->",
    "<!-- APPENDIX_END -->",
)
pieces = st.sampled_from(
    [*MARKERS, "---\n", "# Title\n", "Keep calm.", "\n", "\r\n", "- rule", "name: x", "<!-- "]
)
texts = st.lists(pieces | st.text(max_size=8), max_size=8).map("".join)
starts = st.tuples(st.sampled_from(["", FRONT]), texts, texts, texts).map(
    lambda parts: (
        f"{parts[0]}# Skill\n{_plain(parts[1])}\n{MARKERS[0]}\n{_plain(parts[2])}\n{MARKERS[1]}\n"
        f"{MARKERS[2]}\n- {_plain(parts[3])}\n{MARKERS[3]}\n"
    )
)
edits = st.fixed_dictionaries(
    {
        "op": st.sampled_from(["append", "insert_after", "replace", "delete"]),
        "target": texts,
        "content": texts,
    }
)


def _plain(text: str) -> str:
    for marker in MARKERS:
        text = text.replace(marker, "")
    return text.replace("<!--", "")


def updating(mode: str, *, first: bool = False) -> Updating:
    batch = BatchSettings(mode=mode, first_match=first)  # type: ignore[arg-type]
    return Updating(cast(Means, SimpleNamespace(settings=TrainSettings(batch=batch), runner=None, plan=None)))


def protected(skill: Skill) -> list[Any]:
    regions = find_regions(skill.text, start=skill.body_start)
    return [skill.text[: skill.body_start].rstrip(), *(skill.text[r.start : r.end] for r in regions)]


@given(start=starts, proposed=st.lists(edits, max_size=5), first=st.booleans())
def test_edits(start: str, proposed: list[dict[str, str]], first: bool) -> None:
    skill = Skill.from_text(start)
    update = updating("patch", first=first)._patched(Pool(tuple(proposed)), skill)
    if update.skill is not None:
        assert protected(update.skill) == protected(skill)


@given(start=starts, proposed=st.lists(texts, max_size=4))
def test_whole_skills(start: str, proposed: list[str]) -> None:
    skill = Skill.from_text(start)
    candidates = tuple({"title": "", "new_skill": text} for text in proposed)
    update = updating("full_rewrite_minibatch")._replaced(Pool(candidates), skill)
    if update.skill is not None:
        assert protected(update.skill) == protected(skill)


@given(start=starts, rounds=st.lists(texts | st.lists(edits, max_size=3), max_size=5))
def test_any_sequence_of_both(start: str, rounds: list[Any]) -> None:
    skill = first = Skill.from_text(start)
    for proposed in rounds:
        if isinstance(proposed, str):
            pool = Pool(({"title": "", "new_skill": proposed},))
            update = updating("full_rewrite_minibatch")._replaced(pool, skill)
        else:
            update = updating("patch")._patched(Pool(tuple(proposed)), skill)
        skill = update.skill or skill
    assert protected(skill) == protected(first)


@given(start=starts, notes=st.lists(texts, max_size=4))
def test_notes_reach_the_appendix_and_nothing_else(start: str, notes: list[str]) -> None:
    skill = Skill.from_text(start)
    noted = with_notes(skill, notes)
    assert protected(noted)[:2] == protected(skill)[:2]
    assert set(notes_of(skill)) <= set(notes_of(noted))


@pytest.mark.parametrize("text", ["", "   ", "<!-- APPENDIX_START -->x<!-- APPENDIX_END -->"])
def test_a_rewrite_without_text_is_none(text: str) -> None:
    skill = Skill.from_text("# Skill\n")
    pool = Pool(({"title": "", "new_skill": text},))
    assert updating("full_rewrite_minibatch")._replaced(pool, skill).skill is None
