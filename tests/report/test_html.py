"""The page: it stands alone, nothing in a skill can break out of it, and it says what the view says."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpen.report import RunView, load_run, render_html
from sharpen.report.diffs import CONTEXT, diff_of
from sharpen.report.visible import visible

from .samples import HOSTILE_ID, train_world

VOID = {"meta", "img", "br", "hr", "link", "input"}
SVG_LEAVES = {"line", "circle", "path", "rect"}


class Page(HTMLParser):
    """Checks nesting while it reads, and keeps what tests ask for."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in SVG_LEAVES
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.text.append(data)

    @property
    def words(self) -> str:
        return " ".join("".join(self.text).split())

    def cells(self, css: str) -> list[dict[str, str | None]]:
        wanted = f"cell {css}"
        return [attrs for tag, attrs in self.tags if tag == "td" and attrs.get("class") == wanted]


@pytest.fixture(params=["accepted", "null", "refused", "batch", "office", "outage", "killed", "unborn"])
def view(request: pytest.FixtureRequest) -> RunView:
    found: RunView = request.getfixturevalue(request.param)
    return found


def test_the_page_is_well_formed_and_leads_with_the_verdict(view: RunView) -> None:
    page = Page(render_html(view))
    assert view.headline.text in page.words
    assert view.name in page.words


def test_the_page_asks_for_nothing_from_anywhere(view: RunView) -> None:
    html = render_html(view)
    page = Page(html)
    foreign = {"script", "link", "img", "iframe", "object", "embed", "base", "form"}
    assert not foreign & {tag for tag, _ in page.tags}
    for _, attrs in page.tags:
        assert not {"src", "srcset", "action", "data", "poster", "xlink:href"} & attrs.keys()
        assert (attrs.get("href") or "#").startswith("#")
        assert not [name for name in attrs if name.startswith("on")]
    style = html[html.index("<style>") : html.index("</style>")]
    assert "url(" not in style
    assert "@import" not in style
    policy = next(attrs["content"] for _, attrs in page.tags if "http-equiv" in attrs)
    assert policy is not None
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:")


def test_links_inside_the_page_lead_somewhere(view: RunView) -> None:
    page = Page(render_html(view))
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    for _, attrs in page.tags:
        if href := attrs.get("href"):
            assert href.removeprefix("#") in ids


def test_hostile_texts_are_shown_and_not_obeyed(office: RunView) -> None:
    html = render_html(office)
    page = Page(html)
    assert html.count("</style>") == 1
    assert "<script" not in html
    assert '# Office <script>alert("start")</script>' in page.words
    assert "</style></pre><img src=https://example.com/x onerror=alert(1)>" in page.words
    assert "{{ 7 * 7 }} {% raw %}" in page.words
    assert "␛[31mred␛[0m and half an emoji \ufffd." in page.words
    assert any(attrs.get("title") == f"held {HOSTILE_ID}" for _, attrs in page.tags)
    html.encode("utf-8")


def test_not_measured_failed_and_error_cells_differ_in_markup_and_words(outage: RunView) -> None:
    page = Page(render_html(outage))
    expected = {"none": "not measured", "failed": "failed", "error": "error", "solved": "solved"}
    for css, words in expected.items():
        cells = page.cells(css)
        assert cells
        assert all(f": {words}" in (attrs["title"] or "") for attrs in cells)
    assert "not measured: no attempt" in page.words
    signs = re.findall(r'<td class="cell (none|failed|error)"[^>]*>(.?)</td>', render_html(outage))
    assert set(signs) == {("none", ""), ("failed", "×"), ("error", "!")}


def test_every_accepted_version_shows_its_diff(batch: RunView) -> None:
    html = render_html(batch)
    page = Page(html)
    accepted = [step for step in batch.steps if step.accepted]
    assert len(accepted) > 1
    for step in accepted:
        assert f"{step.parent} → {step.version}" in page.words
    assert html.count('<article class="card" id="change-') == len(accepted)
    assert "<ins>" in html
    assert "<del>" in html


def test_a_run_without_gain_explains_itself(null: RunView, refused: RunView) -> None:
    for view in (null, refused):
        words = Page(render_html(view)).words
        assert "Nothing was accepted: " in words
        assert "No version was accepted, so the skill did not change." in words
    assert f"Refused by the gate ({len(refused.steps)})" in words
    assert all(step.reason in words for step in refused.steps)


def test_an_unfinished_run_has_a_page(killed: RunView, unborn: RunView) -> None:
    words = Page(render_html(killed)).words
    assert "Stopped before its end" in words
    assert "better" in words or "mean" in words
    assert "No score has been recorded yet." in Page(render_html(unborn)).words


def test_unknown_prices_are_called_unknown(outage: RunView) -> None:
    words = Page(render_html(outage)).words
    assert re.search(r"teacher\s*everything\s*5\s*unknown\s*unknown\s*unknown\s*unknown", words)


def test_a_large_run_stays_usable(tmp_path: Path) -> None:
    train_world("null.large", tmp_path, rollouts=2000, loop="batch", gate="strict")
    view = load_run(tmp_path)
    html = render_html(view)
    page = Page(html)
    assert len(html) < 2_000_000
    opened = [attrs for tag, attrs in page.tags if tag == "details" and "open" in attrs]
    closed = [attrs for tag, attrs in page.tags if tag == "details" and "open" not in attrs]
    assert closed
    assert len(opened) <= 3


def test_the_page_does_not_depend_on_the_clock(accepted: RunView) -> None:
    assert render_html(accepted) == render_html(accepted)


lines = st.lists(st.sampled_from(["alpha beta", "gamma", "delta epsilon", "", "<b>"]), max_size=20)


@given(old=lines, new=lines)
def test_folded_diffs_keep_every_change(old: list[str], new: list[str]) -> None:
    before, after = "\n".join(old), "\n".join(new)
    pieces = diff_of(before, after)
    hidden = sum(int(piece.text.split()[0]) for piece in pieces if piece.kind == "gap")
    if not hidden:
        shown = " ".join(p.text for p in pieces if p.kind in ("same", "removed"))
        assert shown.split() == before.split()
        assert "".join(p.text for p in pieces if p.kind in ("same", "added")) == after
    for piece in pieces:
        if piece.kind == "same" and hidden:
            assert piece.text.count("\n") <= 2 * CONTEXT + 1


@given(st.text())
def test_visible_text_is_encodable_and_acts_on_nothing(text: str) -> None:
    shown = visible(text)
    shown.encode("utf-8")
    assert len(shown) == len(text)
    assert not [c for c in shown if (ord(c) < 32 and c not in "\n\t") or c in "\x7f\u202e\u2066"]
