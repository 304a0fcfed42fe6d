"""Settings files as people have them: generated texts in each client's syntax, and what they mean.

The meaning is read by programs that the installer does not use (`json` after comments are cut out), so that
a mistake in its own reader shows.
"""

from __future__ import annotations

import json
import tomllib
from random import Random
from typing import Any

WORDS = (
    *(
        "a",
        "model",
        "env",
        "hooks",
        "PostToolUse",
        "matcher",
        "größe",
        "日本",
        "😀",
        "sharpen",
        "skills",
        "",
        "x y",
    ),
    *(
        "]",
        "}",
        ",",
        "[[hooks]]",
        "http://x//y",
        "// no comment",
        "/* nor this */",
        'a "quoted" word',
        "back\\slash",
    ),
    "# >>> sharpen",
)
COMMANDS = (
    "echo hi",
    "sharpen lint .",
    "/usr/bin/sharpen hook claude",
    "sharpen hook codex --other",
    "sharpen",
)
EVENTS = {
    "claude-code": ("PostToolUse", "PostToolUseFailure", "PreCompact", "Stop"),
    "codex": ("PostToolUse", "PostCompact", "Stop"),
    "gemini": ("AfterTool", "PreCompress", "SessionStart"),
}
BARE_JSON = (
    "{}",
    "{ }",
    "{}\n",
    "{\n}\n",
    "\r\n{\r\n\r\n}\r\n",
    "\ufeff{}",
    '{"hooks":{}}',
    "",
    "\n",
    "  \n\n",
    "\ufeff",
)
BARE_JSONC = (*BARE_JSON, "// only a comment", "/* a\n comment */\n", "{ // empty\n}", '{"hooks": {}, }')
BARE_TOML = ("", "\n", "# only a comment", "# c\n\n", "\ufeff", "\ufeff# c\n", "a = 1", "[t]", "\t\n")
COMMENTS = (" /* c , } */", ' // line "x" ]\n', "/**/", "/* two\n lines */")
TOML_VALUES = (
    *(
        "1",
        "true",
        '"s"',
        "'lit'",
        "1979-05-27T07:32:00Z",
        '"# not"',
        "[1, 2, # c\n 3]",
        '{ a = 1, b = "x" }',
    ),
    *(
        '[\n  "a",\n]',
        '"\\u00e9日本"',
        '"""\n[[hooks]]\n# <<< sharpen\ncommand = "x"\n"""',
        "[{ a = 1 }, { b = 2 }]",
    ),
    "'''\n[skills]\n# >>> sharpen\n'''",
)


def json_text(random: Random, client: str) -> str:
    """A settings file of this client."""
    comments = client == "gemini"
    if random.random() < 0.12:
        return random.choice(BARE_JSONC if comments else BARE_JSON)
    text = _Writer(random, comments=comments).write(json_settings(random, client))
    if comments:
        text = random.choice(("", "", "// head\n", "/* head\n */ ")) + text
        text += random.choice(("", "", "\n// tail", "\n/* tail */\n", "// tail"))
    text += random.choice(("", "\n", "\n\n"))
    return random.choice(("", "", "", "", "\ufeff")) + _line_ends(random, text)


def json_settings(random: Random, client: str) -> dict[str, Any]:
    """Settings with hooks of the user's own, also for the events that the installer uses."""
    members: dict[str, Any] = {}
    if client == "codex":  # it takes no other keys
        members = {"description": random.choice(WORDS)} if random.random() < 0.4 else {}
    else:
        members = {f"{random.choice(WORDS)}{n}": _value(random) for n in range(random.randrange(5))}
    if random.random() < 0.7:
        wanted = [event for event in EVENTS[client] if random.random() < 0.5]
        members["hooks"] = {event: [_group(random) for _ in range(random.randrange(3))] for event in wanted}
    order = list(members.items())
    random.shuffle(order)
    return dict(order)


def lock_text(random: Random) -> str:
    """A `skills-lock.json`."""
    names = [name for name in ("al", "größe", "zed") if random.random() < 0.5]
    content: dict[str, Any] = {
        "version": 1,
        "skills": {name: {"source": "x", "computedHash": "00"} for name in names},
    }
    if random.random() < 0.2:
        del content["skills"]
    return (
        _line_ends(random, _Writer(random).write(content) + random.choice(("", "\n")))
        if random.random() < 0.9
        else ""
    )


def toml_text(random: Random, array: str, rows: tuple[str, ...]) -> str:
    """A configuration, maybe with tables `[[array]]` of the user's own, split by other tables."""
    if random.random() < 0.12:
        return random.choice(BARE_TOML)
    lines = [
        random.choice(("k", "top.dot", '"q u".d')) + f"{n} = {random.choice(TOML_VALUES)}"
        for n in range(random.randrange(4))
    ]
    for n in range(random.randrange(6)):
        if random.random() < 0.4:
            lines += [f"[[{array}]]{random.choice(('', ' # mine'))}", *random.choice(rows).split("\n")]
        else:
            name = random.choice(("tab", " sp . x", '"[x]".y', "tools"))
            lines += (
                [f"[{name}{n}]" + random.choice(("", " # c")), f"v = {random.choice(TOML_VALUES)}"]
                if not name.startswith('"')
                else [f"[{name}.z{n}]"]
            )
        lines += random.choice(([], [""], ["# between"], ["  # indented", ""]))
    text = (
        random.choice(("", "# head\n\n")) + "\n".join(lines) + random.choice(("", "\n", "\n\n\n", "\n# tail"))
    )
    return random.choice(("",) * 9 + ("\ufeff",)) + _line_ends(random, text)


def meaning(path: str, text: str) -> Any:
    """What the text says; an empty one says nothing."""
    text = text.removeprefix("\ufeff")
    if path.endswith(".toml"):
        return tomllib.loads(text)
    plain = _without_trailing_commas(_cut(text))
    return json.loads(plain) if plain.strip() else {}


def toml_written_anew(content: dict[str, Any], above: str = "") -> str:
    """The content as a program writes it that keeps no comments: plain keys first, then tables."""
    tables = {key: value for key, value in content.items() if isinstance(value, dict) or _is_tables(value)}
    out = "".join(
        f"{json.dumps(key)} = {_toml(value)}\n" for key, value in content.items() if key not in tables
    )
    for key, value in tables.items():
        path = above + (key if key.isidentifier() else json.dumps(key))
        for one in [value] if isinstance(value, dict) else value:
            out += (f"\n[{path}]\n" if isinstance(value, dict) else f"\n[[{path}]]\n") + toml_written_anew(
                one, path + "."
            )
    return out


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_toml(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return (
        json.dumps(value, ensure_ascii=False)
        if isinstance(value, (str, bool, int, float))
        else value.isoformat()
    )


def _value(random: Random, depth: int = 0) -> Any:
    kind = random.randrange(7 if depth < 3 else 4)
    if kind < 2:
        return random.choice(WORDS)
    if kind < 4:
        return random.choice((0, -1, 1.5e10, 12345678901234567890, True, False, None))
    if kind == 4:
        return [_value(random, depth + 1) for _ in range(random.randrange(4))]
    return {f"{random.choice(WORDS)}{n}": _value(random, depth + 1) for n in range(random.randrange(4))}


def _group(random: Random) -> dict[str, Any]:
    hooks = [{"type": "command", "command": random.choice(COMMANDS)} for _ in range(random.randrange(3))]
    return {
        **({"matcher": random.choice(("Bash", "*", ""))} if random.random() < 0.6 else {}),
        "hooks": hooks,
    }


class _Writer:
    """Writes JSON by hand: any indentation, one line here and there, escapes, doubled keys, comments."""

    def __init__(self, random: Random, *, comments: bool = False) -> None:
        self.random, self.comments = random, comments
        self.step = random.choice((None, "", " ", "  ", "    ", "\t"))

    def write(self, value: Any, depth: int = 0) -> str:
        if isinstance(value, dict):
            return self._around(
                "{}",
                [
                    f"{self._scalar(key)}{self._colon()}{self.write(one, depth + 1)}"
                    for key, one in self._doubled(value)
                ],
                depth,
            )
        if isinstance(value, list):
            return self._around("[]", [self.write(one, depth + 1) for one in value], depth)
        return self._scalar(value)

    def _doubled(self, value: dict[str, Any]) -> list[tuple[str, Any]]:
        pairs = list(value.items())
        return [(pairs[0][0], "was doubled"), *pairs] if pairs and self.random.random() < 0.05 else pairs

    def _around(self, brackets: str, parts: list[str], depth: int) -> str:
        opening, closing = brackets
        line = "\n" if self.step is not None else ""
        inner, outer = line + (self.step or "") * (depth + 1), line + (self.step or "") * depth
        if self.random.random() < 0.1:
            inner = outer = ""
        parts = [self._comment() + part + self._comment() for part in parts]
        if not parts:
            return opening + self.random.choice(("", " ", outer)) + self._comment() + closing
        trailing = "," if self.comments and self.random.random() < 0.2 else ""
        return (
            opening
            + inner
            + f",{inner or self.random.choice(('', ' '))}".join(parts)
            + trailing
            + outer
            + closing
        )

    def _scalar(self, value: Any) -> str:
        if isinstance(value, str) and self.random.random() < 0.2:
            return '"' + "".join(f"\\u{unit:04x}" for unit in _units(value)) + '"'
        return json.dumps(value, ensure_ascii=self.random.random() < 0.5)

    def _colon(self) -> str:
        return self._comment() + self.random.choice((": ", ":", " : "))

    def _comment(self) -> str:
        return self.random.choice(COMMENTS) if self.comments and self.random.random() < 0.1 else ""


def _units(text: str) -> list[int]:
    data = text.encode("utf-16-be")
    return [int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2)]


def _line_ends(random: Random, text: str) -> str:
    kind = random.randrange(4)
    if kind == 0:
        return text.replace("\n", "\r\n")
    return (
        "".join(random.choice(("\n", "\r\n")) if letter == "\n" else letter for letter in text)
        if kind == 1
        else text
    )


def _cut(text: str) -> str:
    """The text without comments."""
    out, at = [], 0
    while at < len(text):
        if text[at] == '"':
            end = _string_end(text, at)
            out.append(text[at:end])
        elif text.startswith("//", at):
            end = text.find("\n", at) % (len(text) + 1)
        elif text.startswith("/*", at):
            end = text.index("*/", at) + 2
        else:
            end = at + 1
            out.append(text[at])
        at = end
    return "".join(out)


def _without_trailing_commas(text: str) -> str:
    out, at = [], 0
    while at < len(text):
        end = _string_end(text, at) if text[at] == '"' else at + 1
        if not (text[at] == "," and text[end:].lstrip()[:1] in ("}", "]")):
            out.append(text[at:end])
        at = end
    return "".join(out)


def _string_end(text: str, at: int) -> int:
    at += 1
    while text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    return at + 1
