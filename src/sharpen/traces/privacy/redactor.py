"""The wide redactor: one pass over a text finds everything that the rules know.

A text with escapes in it is looked at a second time without them. Redact before anything is cut: half a key
matches nothing. Counts are kept, values never.
"""

from __future__ import annotations

import getpass
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from sharpen.redaction import Redactor
from sharpen.traces.privacy.assignments import SECRET_NAME
from sharpen.traces.privacy.engine import Find, best_engine, finder_of, finds_in
from sharpen.traces.privacy.persons import GENERIC_NAMES, NAME_IN_PATH
from sharpen.traces.privacy.plain_view import plain_view

SHORTEST = 6  # characters; nothing shorter can be a find
SHORTEST_NAME = 3
LONGEST_OPTION = 80


class Privacy(Redactor):
    """The wide redactor; `found` counts what was taken, by kind.

    `names` are user names to take out wherever they stand; by default whoever runs this. `engine` is "re2" or
    "re"; without it, the faster one that is there.
    """

    def __init__(
        self,
        extra_secrets: Iterable[str] = (),
        *,
        environ: Mapping[str, str] | None = None,
        names: Iterable[str] | None = None,
        engine: str | None = None,
    ) -> None:
        super().__init__(extra_secrets, environ=environ)
        self.engine = engine or best_engine()
        self._finder = finder_of(self.engine)
        self._names: tuple[str, ...] = ()
        self._homes: tuple[tuple[str, str], ...] = ()
        self._name = re.compile(r"(?!)")
        for name in own_names() if names is None else names:
            self.learn(name)

    def learn(self, name: str) -> None:
        """Take this user name out of everything from now on; a name that could be any word is not taken."""
        if len(name) < SHORTEST_NAME or name.lower() in GENERIC_NAMES or name in self._names:
            return
        self._names = (*self._names, name)
        self._homes = tuple(
            (f"{root}{name}/", root) for name in self._names for root in ("/home/", "/Users/")
        )
        spelled = "|".join(map(re.escape, self._names))
        self._name = re.compile(rf"(?<![A-Za-z0-9])(?:{spelled})(?![A-Za-z0-9])")

    def learn_from_path(self, path: str) -> None:
        """The name of the user in whose home folder a path lies."""
        if found := NAME_IN_PATH.match(path):
            self.learn(found[1])

    def redact(self, text: str) -> str:
        if len(text) < SHORTEST_NAME:
            return text
        for secret in self._secrets:
            text = self._replaced(text, secret, "environment")
        for home, root in self._homes:  # by far the most frequent find, and quicker this way
            text = self._replaced(text, home, "user", before=root, after="/")
        if len(text) >= SHORTEST:
            text = self._without_finds(text)
        if any(name in text for name in self._names):
            text = self._name.sub(lambda _: self.mark("user"), text)
        return text

    def redact_json(self, value: object) -> object:
        """The same value with every string in it redacted, judged with the name or the option before it."""
        if isinstance(value, Mapping):
            named = value.get("name", value.get("key"))
            return {
                self.redact(str(key)): self._below(
                    named if key == "value" and isinstance(named, str) else str(key), item
                )
                for key, item in value.items()
            }
        if isinstance(value, (list, tuple)):
            return self._listed("", value)
        return self.redact(value) if isinstance(value, str) else value

    def _below(self, name: str, value: object) -> object:
        if isinstance(value, (list, tuple)):
            return self._listed(name, value)
        if not SECRET_NAME.search(name):
            return self.redact_json(value)
        if isinstance(value, str):
            return self._under(name, value)
        is_number = isinstance(value, int) and not isinstance(value, bool)
        is_taken = is_number and self.redact(f'{name}="{value}"') != f'{name}="{value}"'
        return self.mark("assignment") if is_taken else self.redact_json(value)

    def _listed(self, name: str, values: Sequence[object]) -> list[object]:
        """Items of a list; in the words of a command an option speaks for the word that follows it."""
        cleaned: list[object] = []
        command, option = "", ""
        for value in values:
            is_option = isinstance(value, str) and value.startswith("-")
            spelled = f"{command} " if is_option else f"{command} {option} "
            if isinstance(value, str) and command and (is_option or option.startswith("-")):
                told = self.redact(spelled + value)
                cleaned.append(told[len(spelled) :] if told.startswith(spelled) else self.redact(value))
            else:
                cleaned.append(
                    self._below(name, value) if isinstance(value, str) else self.redact_json(value)
                )
            option = str(cleaned[-1]) if isinstance(value, str) and len(value) < LONGEST_OPTION else ""
            command = command or option
        return cleaned

    def _replaced(self, text: str, secret: str, kind: str, *, before: str = "", after: str = "") -> str:
        if secret not in text:
            return text
        self.found[kind] += text.count(secret)
        return text.replace(secret, f"{before}[redacted:{kind}]{after}")

    def _without_finds(self, text: str) -> str:
        data = text.encode("utf-8", "replace")
        cleaned = self._without(data, finds_in(data, self._finder))
        if view := plain_view(cleaned):
            finds = [
                (rule, *view.origin(start, end)) for rule, start, end in finds_in(view.plain, self._finder)
            ]
            cleaned = self._without(cleaned, finds)
        return text if cleaned is data else cleaned.decode("utf-8", "replace")

    def _without(self, data: bytes, finds: list[Find]) -> bytes:
        if not finds:
            return data
        kept: list[bytes] = []
        done = 0
        for rule, start, end in finds:
            kept += (data[done:start], self.mark(rule.kind).encode())
            done = end
        return b"".join((*kept, data[done:]))


def own_names() -> tuple[str, ...]:
    """How this machine calls its user."""
    names = {os.environ.get("USER", ""), os.environ.get("LOGNAME", ""), Path.home().name}
    with suppress(OSError, KeyError, ImportError):  # a container may know its user by number only
        names.add(getpass.getuser())
    return tuple(sorted(names - {""}))
