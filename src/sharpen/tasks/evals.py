"""Evaluations that a skill brings along: `evals/evals.json` of the skill creator, in both of its dialects.

One dialect calls what must hold `expectations`, the other `assertions`; both become a rubric for a judge,
and the expected output its reference. Files that an evaluation names are read as texts for the work folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from sharpen.errors import TaskError

CRITERIA = ("expectations", "assertions")


def evals_file(path: Path) -> Path | None:
    """The evaluations of a skill's folder, None when it has none or is no folder."""
    for place in (path / "evals" / "evals.json", path / "evals.json"):
        if path.is_dir() and place.is_file():
            return place
    return None


def eval_rows(path: Path, content: object) -> Iterator[tuple[object, str]]:
    """Each evaluation as a row of a tasks file, with its place."""
    found = content.get("evals") if isinstance(content, Mapping) else None
    if not isinstance(found, list):
        raise TaskError(f'{path} must be an object with a list "evals", as the skill creator writes it')
    for number, item in enumerate(found, 1):
        where = f"{path}, evaluation {number}"
        if not isinstance(item, Mapping):
            raise TaskError(f"{where}: must be an object with a prompt")
        yield _row(item, path, where, number=number), where


def _row(item: Mapping[str, object], path: Path, where: str, *, number: int) -> dict[str, object]:
    criteria = _criteria(item, where)
    expected = item.get("expected_output")
    if not criteria and not (isinstance(expected, str) and expected.strip()):
        raise TaskError(f"{where}: has neither {' nor '.join(CRITERIA)} nor an expected_output to judge by")
    rubric: dict[str, object] = {"rubric": criteria or ["The work achieves what the reference describes."]}
    if isinstance(expected, str) and expected.strip():
        rubric["reference"] = expected
    files = _files(item.get("files", []), path, where)
    return {
        "id": item.get("id", item.get("name", number)),
        "prompt": item.get("prompt", ""),
        "check": rubric,
        "data": {"files": files} if files else {},
    }


def _criteria(item: Mapping[str, object], where: str) -> list[str]:
    found: list[str] = []
    for name in CRITERIA:
        listed = item.get(name, [])
        if not isinstance(listed, list):
            raise TaskError(f"{where}: {name} must be a list of texts")
        for one in listed:
            text = one.get("text", one.get("description")) if isinstance(one, Mapping) else one
            if not isinstance(text, str) or not text.strip():
                raise TaskError(f"{where}: one of its {name} is no text")
            found.append(text)
    return list(dict.fromkeys(found))


def _files(named: object, path: Path, where: str) -> dict[str, str]:
    if not isinstance(named, list):
        raise TaskError(f"{where}: files must be a list of paths")
    return {str(name): _file(str(name), path, where) for name in named}


def _file(name: str, path: Path, where: str) -> str:
    """Paths are meant from the skill's folder; some authors count from the evaluations' own."""
    for root in (path.parent.parent, path.parent):
        place = (root / name).resolve()
        if place.is_relative_to(root.resolve()) and place.is_file():
            try:
                return place.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                raise TaskError(
                    f"{where}: the file {name!r} is not UTF-8 text, which is all that can be laid out"
                ) from None
    raise TaskError(f"{where}: the file {name!r} is not in {path.parent.parent}; put it there")
