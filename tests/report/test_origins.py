"""Where lines came from, and what the gate measured of the edits that brought them."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from sharpen.report import load_run
from sharpen.report.origins import LineOrigin, edit_parts
from sharpen.skills import Edit, Skill, apply_edits, without
from sharpen.store import Event, SqliteStore, Version
from sharpen.types import Estimate, Verdict

START = Skill.from_text("# S\n\n- old\n", files={"references/a.md": b"- a\n"})
FIRST = [Edit.append("- alone")]
SECOND = [Edit.append("- b", file="references/a.md"), Edit.append("- two"), Edit.append("- old")]
GAIN = Estimate(0.25, 0.1, 0.4, 40, 20)


def accept(
    store: SqliteStore, parent: Skill, edits: list[Edit], *, step: int, difference: Estimate | None
) -> Skill:
    """A gate decision as a run records it."""
    applied = apply_edits(parent, edits)
    skill = applied.skill
    entries = tuple({**e.to_json(), "status": r.status} for e, r in zip(edits, applied.reports, strict=True))
    store.add_version(Version(skill.digest, parent.digest, skill.text, entries, "accepted", skill.files))
    verdict = Verdict("race", "better", "because", 40, 12, 26, 2, difference)
    data = {"step": step, "candidate": skill.digest, "parent": parent.digest, "edits": list(entries)}
    store.add_event(Event(step, "gate", {**data, "verdict": asdict(verdict)}))
    return skill


def run(folder: Path, *, difference: Estimate | None = GAIN) -> tuple[Skill, tuple[LineOrigin, ...]]:
    store = SqliteStore.open(folder)
    store.set_config({"skill": START.digest})
    store.add_version(Version(START.digest, None, START.text, (), "start", START.files))
    one = accept(store, START, FIRST, step=1, difference=difference)
    best = accept(store, one, SECOND, step=2, difference=difference)
    store.close()
    return best, load_run(folder).blame


def test_every_line_of_every_file_has_its_edit(tmp_path: Path) -> None:
    best, lines = run(tmp_path)
    assert [line.text for line in lines if not line.file] == best.text.splitlines()
    assert [line.text for line in lines if line.file] == ["- a", "- b"]
    origins = {line.text: (line.origin, line.file) for line in lines}
    assert origins["- alone"] == ("v1 edit 1", "")
    assert origins["- b"] == ("v2 edit 1", "references/a.md")
    assert origins["- two"] == ("v2 edit 2", "")
    assert origins["- old"] == ("start", "")
    assert origins["- a"] == ("start", "references/a.md")


def test_an_edit_alone_has_the_gates_difference_and_a_bundle_shares_it(tmp_path: Path) -> None:
    effects = {line.text: line.effect for line in run(tmp_path)[1]}
    assert effects["- old"] is None
    alone, two = effects["- alone"], effects["- two"]
    assert alone is not None and (alone.difference, alone.pairs, alone.edits) == (GAIN, 40, 1)
    assert two is not None and (two.difference, two.edits) == (GAIN, 2)  # the third one was a duplicate
    assert effects["- b"] == two


def test_a_gate_that_measured_nothing_gives_no_effect(tmp_path: Path) -> None:
    assert all(line.effect is None for line in run(tmp_path, difference=None)[1])


def test_what_an_edit_left_can_be_taken_out(tmp_path: Path) -> None:
    best, lines = run(tmp_path)
    parts = edit_parts(best, lines)
    assert [(part.name, part.file, part.text) for part in parts] == [
        ("v1 edit 1", "", "- alone"),
        ("v2 edit 2", "", "- two"),
        ("v2 edit 1", "references/a.md", "- b"),
    ]
    assert without(best, parts) == START


def test_an_edit_in_a_region_is_no_part(tmp_path: Path) -> None:
    slow = Skill.from_text("# S\n<!-- SLOW_UPDATE_START -->\n- x\n<!-- SLOW_UPDATE_END -->\n")
    brought = [
        LineOrigin(n, text, "v1 edit 1", "v1", 1, 1, "append", None, "")
        for n, text in enumerate(slow.text.splitlines(), 1)
    ]
    assert [part.lines for part in edit_parts(slow, brought)] == [(1,)]
