"""Files of others: whatever is in them, what we put in comes out again byte for byte."""

from __future__ import annotations

import json
import tomllib

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sharpen.errors import UsageError
from sharpen.install import jsonc
from sharpen.install.settings import (
    Pieced,
    Syntax,
    append_json,
    append_toml,
    cleared,
    starts_command,
    without_command,
    without_empty,
    without_tables,
)

COMMAND = "sharpen hook claude-code"
STRICT, LOOSE = Syntax("settings.json"), Syntax("settings.json", comments=True)
TOML = Syntax("config.toml", toml=True)
GROUP = {"hooks": [{"type": "command", "command": COMMAND, "timeout": 5}]}
EVENTS = ("PostToolUse", "PostToolUseFailure", "PreCompact")

keys = st.sampled_from(["hooks", *EVENTS, "model", "env", "a b", 'q"uote', "ü"])
scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(keys | st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=10,
)
their_groups = st.lists(
    st.just({"matcher": "Bash", "hooks": [{"type": "command", "command": "./mine.sh"}]})
    | st.just(GROUP["hooks"][0]),
    max_size=2,
)
their_hooks = st.dictionaries(st.sampled_from([*EVENTS, "Stop"]), their_groups, max_size=4)
blanks = st.sampled_from(["", " ", "\n", "\n  ", "\t", "\r\n", "  \n\n"])
comments = st.sampled_from(["", " ", "\n", "// c\n", "/* {c} */", '// "a": 1,\n', "\n  /*\n*/ "])


@st.composite
def settings_texts(draw: st.DrawFn, *, with_comments: bool = False) -> str:
    """Settings as people write them: any spacing, keys twice, and where it is allowed comments and commas."""
    gap = comments if with_comments else blanks
    content = draw(st.dictionaries(keys.filter(lambda key: key != "hooks"), values, max_size=4))
    if draw(st.booleans()):
        content["hooks"] = draw(their_hooks)
    mark = "\ufeff" if draw(st.integers(0, 9)) == 0 else ""
    return mark + draw(gap) + _spelled(draw, content, gap, commas=with_comments) + draw(gap)


def _spelled(draw: st.DrawFn, value: object, gap: st.SearchStrategy[str], *, commas: bool) -> str:
    if isinstance(value, dict):
        rows = [
            f"{draw(gap)}{json.dumps(key, ensure_ascii=draw(st.booleans()))}{draw(gap)}:{draw(gap)}"
            f"{_spelled(draw, inner, gap, commas=commas)}{draw(gap)}"
            for key, inner in value.items()
        ]
    elif isinstance(value, list):
        rows = [f"{draw(gap)}{_spelled(draw, inner, gap, commas=commas)}{draw(gap)}" for inner in value]
    else:
        return json.dumps(value, ensure_ascii=draw(st.booleans()))
    last = "," if commas and rows and draw(st.booleans()) else ""
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}{','.join(rows)}{last}{draw(gap) if not rows else ''}{closing}"


def with_ours(text: str, syntax: Syntax = STRICT) -> Pieced:
    pieced = Pieced(text)
    for event in EVENTS:
        pieced = append_json(pieced, ("hooks", event), GROUP, syntax)
    return pieced


def out_again(text: str, pieced: Pieced, syntax: Syntax = STRICT) -> str:
    def by_meaning(given: str) -> str:
        return without_empty(without_command(given, COMMAND, EVENTS, syntax), pieced.made, syntax)

    return cleared(text, pieced.pieces, by_meaning, syntax)


def assert_merged(before: object, after: object) -> None:
    """Everything of theirs is there as it was, and our groups stand behind theirs."""
    assert isinstance(before, dict)
    assert isinstance(after, dict)
    assert {key: value for key, value in after.items() if key != "hooks"} == {
        key: value for key, value in before.items() if key != "hooks"
    }
    theirs = before.get("hooks", {})
    ours = {event: [*theirs.get(event, []), GROUP] for event in EVENTS}
    assert after["hooks"] == {**theirs, **ours}


@given(settings_texts())
def test_strict_json_in_and_out_again(text):
    pieced = with_ours(text)
    assert_merged(json.loads(text.lstrip("\ufeff")), json.loads(pieced.text.lstrip("\ufeff")))
    assert out_again(pieced.text, pieced) == text


@given(settings_texts(with_comments=True))
def test_json_with_comments_in_and_out_again(text):
    pieced = with_ours(text, LOOSE)
    assert_merged(LOOSE.meaning(text), LOOSE.meaning(pieced.text))
    assert out_again(pieced.text, pieced, LOOSE) == text


@given(settings_texts(), st.sampled_from(["first", "last"]))
def test_what_the_user_adds_afterwards_stays(text, where):
    def changed(content: str) -> str:
        start = content.index("{") + 1
        return content[:start] + '"theirs": 1,' + content[start:] if where == "first" else content + "\n\n"

    pieced = with_ours(text)
    after = out_again(changed(pieced.text), pieced)
    if json.loads(text.lstrip("\ufeff")) or where == "last":
        assert after == changed(text)
    else:  # a comma stood before ours
        assert STRICT.meaning(after) == {"theirs": 1}


COMMENTED = """{
  // mine
  "hooks": {
    "AfterTool": [ // the list
      // about ours
      OURS, // behind ours
      /* before mine */ {"hooks": []} // last
    ]
  },
}
"""


@pytest.mark.parametrize("ours", ["first", "last", "alone"])
def test_comments_around_ours_stay(ours):
    """What was put in was reformatted, so that it is found by what it says."""
    group = json.dumps(GROUP)
    text = COMMENTED.replace("OURS", group)
    if ours == "last":
        text = COMMENTED.replace("OURS", "{}").replace('{"hooks": []}', group)
    elif ours == "alone":
        text = COMMENTED.replace("OURS,", group).replace(' {"hooks": []}', "")
    after = without_command(text, COMMAND, ("AfterTool",), LOOSE)
    left = {"first": [{"hooks": []}], "last": [{}], "alone": []}[ours]
    assert LOOSE.meaning(after) == {"hooks": {"AfterTool": left}}
    for comment in (
        "// mine",
        "// the list",
        "// about ours",
        "// behind ours",
        "/* before mine */",
        "// last",
    ):
        assert comment in after


def test_a_hook_that_the_user_had_before_stays():
    theirs = json.dumps({"hooks": {"Stop": [GROUP], "PreCompact": [GROUP]}}, indent=1)
    assert json.loads(without_command(theirs, COMMAND, ("PreCompact",), STRICT)) == {
        "hooks": {"Stop": [GROUP], "PreCompact": []}
    }


def test_it_is_known_whether_a_command_is_started():
    text = with_ours("{}").text
    assert starts_command(text, "PreCompact", COMMAND, STRICT)
    assert not starts_command(text, "Stop", COMMAND, STRICT)
    assert not starts_command(text, "PreCompact", "another", STRICT)


def test_an_empty_file_becomes_one_with_our_hooks():
    for text in ("", "\n", "  "):
        pieced = with_ours(text)
        assert json.loads(pieced.text)["hooks"].keys() == set(EVENTS)
        assert out_again(pieced.text, pieced) == text


def test_what_is_added_follows_the_style_around_it():
    wide = with_ours('{\n\t"model": "m",\n\t"hooks": {\n\t\t"Stop": []\n\t}\n}\n').text
    assert '\n\t\t"PostToolUse": [\n' in wide
    narrow = with_ours('{"hooks": {"Stop": []}}').text
    assert "\n" not in narrow


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{"a": 1,}', "1:9"),
        ('{\n  "a": 1\n  "b": 2}', "3:3: a comma"),
        ("// a comment\n{}", "1:1"),
        ('{"hooks": []}', "1:11: an object is expected"),
        ('{"hooks": {"PostToolUse": {}}}', "1:27: an array is expected"),
        ("[]", "1:1: an object is expected"),
        ("{} {}", "1:4: something follows"),
        ('{"a": tru}', "1:7"),
        ('{"a": "\n"}', "1:7"),
        ("{", "1:2"),
    ],
)
def test_settings_that_do_not_parse_say_where(text, where):
    with pytest.raises(UsageError, match=f"^settings.json:{where}"):
        with_ours(text)


@given(st.text(alphabet='{}[]",:/*\\ntrue0 \n', max_size=30))
def test_our_reader_takes_exactly_what_json_takes(text):
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(jsonc.JsonError):
            jsonc.parse(text)
    else:
        assert jsonc.parse(text).plain == expected


def test_brackets_beyond_all_measure_are_an_error_too():
    with pytest.raises(UsageError, match="nested too deeply"):
        with_ours("[" * 100_000)


toml_values = (
    st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text(st.characters(codec="ascii", categories=["L", "N"]))
)
BODY = '[[hooks]]\nevent = "PostToolUse"\ncommand = "sharpen hook kimi"\n'


@st.composite
def toml_texts(draw: st.DrawFn) -> str:
    """Tables, arrays of tables, comments, blank lines, either line end, with or without one at the end."""
    lines: list[str] = []
    names = st.sampled_from(["model", "telemetry", "x", '"a b"', "x.y"])
    for table in draw(
        st.lists(st.sampled_from(["", "[models.m]", "[[hooks]]", "[[other]]", "[loop]"]), unique=True)
    ):
        lines += [draw(st.sampled_from(["# a comment", "", "  # another"])), table] if table else []
        for name in draw(st.lists(names, unique=True, max_size=3)):
            lines.append(f"{name} = {json.dumps(draw(toml_values))}{draw(st.sampled_from(['', '  # why']))}")
    end = draw(st.sampled_from(["\n", "\r\n"]))
    return end.join(lines) + draw(st.sampled_from(["", end, end * 2]))


def out_again_toml(pieced: Pieced) -> str:
    def by_meaning(given: str) -> str:
        ours = tomllib.loads(BODY)["hooks"][0]
        return without_tables(given, ("hooks",), lambda row: "ours" if row == ours else None, TOML)

    return cleared(pieced.text, pieced.pieces, by_meaning, TOML)


@given(toml_texts())
def test_toml_in_and_out_again(text):
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        assume(False)
        return
    pieced = append_toml(Pieced(text), BODY, TOML)
    ours = tomllib.loads(BODY)["hooks"]
    assert tomllib.loads(pieced.text) == {**before, "hooks": [*before.get("hooks", []), *ours]}
    assert out_again_toml(pieced) == text


@pytest.mark.parametrize("text", ["hooks = []\n", "[hooks]\nx = 1\n", 'hooks = "x"'])
def test_toml_that_has_something_else_there_is_left_alone_with_what_to_add(text):
    with pytest.raises(UsageError, match=r"by hand:\n\[\[hooks\]\]"):
        append_toml(Pieced(text), BODY, TOML)


def test_toml_that_does_not_parse_says_where():
    with pytest.raises(UsageError, match=r"^config\.toml:2:5: .*left as it is"):
        append_toml(Pieced("a = 1\nb = \n"), BODY, TOML)
