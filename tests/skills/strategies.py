"""Documents and edits for property tests: ordinary, hostile, and with markers in unlikely places."""

from __future__ import annotations

from hypothesis import strategies as st

from sharpen.errors import SkillError
from sharpen.skills import Edit, Frontmatter, Skill
from sharpen.skills.edits import OPS

MARKERS = (
    "<!-- SLOW_UPDATE_START -->",
    "<!-- SLOW_UPDATE_END -->",
    "<!-- APPENDIX_START -->",
    "<!-- APPENDIX_END -->",
)
any_text = st.text(st.characters(), max_size=30)  # lone surrogates and control characters included
words = st.sampled_from(
    ["- rule", "rule", "a", "# Title", "```", "---", "text. ", "| a | b |", "\ufeff", "é漢\ud800"]
)
marker_pieces = st.sampled_from([*MARKERS, "<!-- SLOW_UPDATE_", "START -->", "<!-- ", "END -->"])
spaces = st.sampled_from(["\n", "\n", "\n\n", "\r\n", " ", ""])
fronts = st.sampled_from(
    ["", "", "---\nname: a\n---\n", '---\r\nname: "rule"\r\n---\r\n', "---\nname: x\n---"]
)


@st.composite
def bodies(draw: st.DrawFn) -> str:
    """Pieces of prose and markers, whole and broken, in any order."""
    pieces = draw(st.lists(st.tuples(words | words | marker_pieces | any_text, spaces), max_size=12))
    return "".join(piece + space for piece, space in pieces)


@st.composite
def documents(draw: st.DrawFn) -> str:
    front = draw(fronts)
    body = draw(bodies())
    return front + ("\n" if front and not front.endswith("\n") and body else "") + body


def _is_readable(text: str) -> bool:
    try:
        Skill.from_text(text)
    except SkillError:
        return False
    return True


readable_documents = documents().filter(_is_readable)


@st.composite
def edits_for(draw: st.DrawFn, document: str) -> Edit:
    """An edit whose target is often a piece of the document, across whatever lies there."""
    start = draw(st.integers(0, len(document)))
    piece = document[start : start + draw(st.integers(0, 60))]
    target = draw(st.one_of(st.just(piece), st.just(piece), words, any_text))
    content = draw(st.one_of(bodies(), words, any_text))
    return Edit(draw(st.sampled_from(OPS)), target, content)


names = st.from_regex(r"[a-z0-9]{1,8}(-[a-z0-9]{1,8}){0,3}", fullmatch=True)
yaml_text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60) | st.sampled_from(
    [
        "a: b",
        "--- x ---",
        "-----",
        "'",
        '"',
        "\\",
        "# no comment",
        "null",
        "1.0",
        "yes",
        "\n---\n",
        "@x",
        "& * !",
        "\x85",
    ]
)
descriptions = yaml_text.filter(lambda text: text.strip() != "" and not set("<>") & set(text))
optional = st.none() | yaml_text
frontmatters = st.builds(
    Frontmatter,
    name=names,
    description=descriptions,
    license=optional,
    compatibility=optional,
    metadata=st.dictionaries(yaml_text, st.just("") | yaml_text, max_size=4),
    allowed_tools=optional,
)
