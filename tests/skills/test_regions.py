from __future__ import annotations

import pytest
from hypothesis import given

from sharpen.errors import SkillError
from sharpen.skills import Skill, region_content, rewrite, with_region
from sharpen.skills.regions import MARKER, editable_spans, find_regions, strip_markers, tail_start

from .strategies import bodies, documents, readable_documents

SLOW = "<!-- SLOW_UPDATE_START -->\nslow\n<!-- SLOW_UPDATE_END -->"
APPENDIX = "<!-- APPENDIX_START -->\nnote\n<!-- APPENDIX_END -->"
FRONT = "---\r\nname: a\r\n---\r\n"


def regions_of(text: str) -> list[tuple[str, str]]:
    return [(region.name, text[region.start : region.end]) for region in find_regions(text, start=0)]


def test_regions_run_from_start_to_end_marker() -> None:
    assert regions_of(f"a {SLOW} b {APPENDIX}") == [("slow_update", SLOW), ("appendix", APPENDIX)]
    assert regions_of("no regions") == []
    assert regions_of("<!-- APPENDIX_END --> stray") == []


def test_an_unclosed_region_runs_to_the_end() -> None:
    assert regions_of("a <!-- APPENDIX_START --> b") == [("appendix", "<!-- APPENDIX_START --> b")]


def test_only_the_own_end_marker_closes_a_region() -> None:
    inner = f"<!-- SLOW_UPDATE_START -->{APPENDIX}<!-- SLOW_UPDATE_END -->"
    assert regions_of(inner + " b") == [("slow_update", inner)]


def test_markers_in_the_frontmatter_mean_nothing() -> None:
    skill = Skill.from_text(
        f"---\nname: a\ndescription: '{APPENDIX}'\n---\n".replace("\nnote\n", "") + "body\n"
    )
    assert find_regions(skill.text, start=skill.body_start) == ()


def test_the_tail_is_the_last_run_of_regions() -> None:
    text = f"{SLOW} text {APPENDIX}\n{SLOW}\n\n"
    assert tail_start(text, find_regions(text, start=0)) == text.index(APPENDIX)
    assert tail_start(text + "x", find_regions(text + "x", start=0)) == len(text) + 1


@given(documents())
def test_spans_and_regions_cover_the_body_exactly(text: str) -> None:
    regions = find_regions(text, start=0)
    spans = editable_spans(text, regions, start=0)
    pieces = sorted([*spans, *((r.start, r.end) for r in regions)])
    assert "".join(text[start:end] for start, end in pieces) == text


@given(bodies())
def test_no_marker_survives_stripping(text: str) -> None:
    assert not MARKER.search(strip_markers(text))


def test_region_content() -> None:
    skill = Skill.from_text(f"# S\n\n{SLOW}\n")
    assert region_content(skill, "slow_update") == "slow"
    assert region_content(skill, "appendix") is None
    assert region_content(Skill.from_text("<!-- APPENDIX_START -->\nopen\n"), "appendix") == "open"


def test_with_region_creates_one_at_the_tail() -> None:
    skill = with_region(Skill.from_text("# S\n"), "slow_update", "  slow\n")
    assert skill.text == f"# S\n\n{SLOW}\n"
    assert with_region(skill, "appendix", "note").text == f"# S\n\n{SLOW}\n\n{APPENDIX}\n"


def test_with_region_replaces_and_leaves_exactly_one() -> None:
    skill = Skill.from_text(f"# S\n\n{SLOW}\n\n{APPENDIX}\n\n{SLOW}\n")
    new = with_region(skill, "slow_update", "<!-- SLOW_UPDATE_END -->new")
    assert new.text == f"# S\n\n{SLOW.replace('slow', 'new')}\n\n{APPENDIX}\n"


def test_with_region_goes_before_an_unclosed_one_and_closes_its_own() -> None:
    unclosed = "<!-- APPENDIX_START -->\nopen"
    skill = with_region(Skill.from_text(f"# S\n{unclosed}"), "slow_update", "slow")
    assert skill.text == f"# S\n\n{SLOW}\n\n{unclosed}"
    assert with_region(skill, "appendix", "note").text == f"# S\n\n{SLOW}\n\n{APPENDIX}\n"


def test_with_region_keeps_the_frontmatter() -> None:
    assert with_region(Skill.from_text(FRONT), "slow_update", "slow").text == f"{FRONT}\n{SLOW}\n"


@given(readable_documents, bodies())
def test_with_region_keeps_other_regions_and_reads_back(text: str, content: str) -> None:
    skill = Skill(text)
    new = with_region(skill, "appendix", content)
    assert region_content(new, "appendix") == strip_markers(content).strip()
    assert len([r for r in find_regions(new.text, start=new.body_start) if r.name == "appendix"]) == 1
    assert kept(new, "slow_update") == kept(skill, "slow_update")
    assert new.text.startswith(text[: skill.body_start])


def kept(skill: Skill, name: str) -> list[str]:
    regions = find_regions(skill.text, start=skill.body_start)
    return [skill.text[region.start : region.end] for region in regions if region.name == name]


def test_rewrite_changes_the_body_only() -> None:
    skill = Skill.from_text(f"{FRONT}# Old\n\n{SLOW}\nold\n{APPENDIX}\n")
    new = rewrite(
        skill, f"---\nname: evil\n---\n# New\n{SLOW.replace('slow', 'evil')}\nnew\n<!-- APPENDIX_END -->"
    )
    assert new.text == f"{FRONT}\n# New\n\nnew\n\n{SLOW}\n\n{APPENDIX}\n"


def test_rewrite_to_nothing_is_an_error() -> None:
    with pytest.raises(SkillError, match="no text of its own"):
        rewrite(Skill.from_text("# S\n"), f"\n{SLOW}\n")


@given(readable_documents, documents())
def test_rewrite_keeps_frontmatter_and_regions_for_any_text(text: str, new_text: str) -> None:
    skill = Skill(text)
    try:
        new = rewrite(skill, new_text)
    except SkillError:
        return
    assert new.text.startswith(text[: skill.body_start])
    assert bool(new.body_start) == bool(skill.body_start)
    for name in ("slow_update", "appendix"):
        assert kept(new, name) == kept(skill, name)
