"""From a home folder to `traces.db` and back out: complete, redacted, once, and forgotten on demand."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sharpen.errors import StoreError, UsageError
from sharpen.traces import to_json
from sharpen.traces.archive import Archive
from sharpen.traces.compaction import compact
from sharpen.traces.harvest import Conditions, closed, find, harvest
from sharpen.traces.privacy import Privacy
from sharpen.traces.reading import SourceFile, recognise
from sharpen.traces.sources import FORMATS

from . import stories
from .corpus import planted
from .stories import COMMANDS, FINAL, PROMPT, STORIES
from .test_privacy import survives

CLIENTS = ("codex", "claude-code", "gemini", "opencode", "kimi", "copilot", "cursor", "pi")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder in which every client was used once."""
    for client in CLIENTS:
        STORIES[client][1](tmp_path / "home")
    return tmp_path / "home"


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "traces.db"


def sources(home: Path) -> list[SourceFile]:
    return find([FORMATS[client] for client in CLIENTS], home=home, environ={})


def run(files: list[SourceFile], db: Path, **options):
    with Archive.open(db, create=True) as archive:
        return harvest(files, archive, privacy=Privacy(environ={}, names=()), **options)


def test_every_client_is_found_and_harvested(home, db):
    tallies = run(sources(home), db)
    assert set(tallies) == set(CLIENTS)
    assert all((tally.files, tally.sessions, tally.refused) == (1, 1, []) for tally in tallies.values())
    with Archive.open(db) as archive:
        rows = archive.rows()
        assert {row.client for row in rows} == set(CLIENTS)
        assert {row.title for row in rows} == {PROMPT}
        for row in rows:
            trajectory = archive.trajectory(row.number)
            to_json(trajectory)
            calls = [call for step in trajectory.steps for call in step.tool_calls]
            assert [call.arguments.get("command", call.arguments.get("cmd")) for call in calls] == list(
                COMMANDS
            )
            assert trajectory.steps[-1].message == FINAL
            assert trajectory.extra["outcome"] == {"verdict": "unknown"}


def test_a_second_harvest_reads_only_what_changed(home, db):
    first = run(sources(home), db)
    again = run(sources(home), db)
    assert all((tally.unchanged, tally.sessions) == (1, 0) for tally in again.values())
    path = stories.codex(home)
    with path.open("a") as file:
        file.write(json.dumps(stories.codex_said("And more.")) + "\n")
    third = run(sources(home), db)
    assert third["codex"].sessions == 1
    assert third["kimi"].unchanged == 1
    with Archive.open(db) as archive:
        assert len(archive.rows()) == len(CLIENTS)
        assert archive.rows(client="codex")[0].steps == first["codex"].steps + 1


def test_sources_are_not_touched(home, db):
    before = {
        path: (path.read_bytes(), path.stat().st_mtime_ns) for path in home.rglob("*") if path.is_file()
    }
    run(sources(home), db)
    after = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in home.rglob("*") if path.is_file()}
    assert after == before


def test_one_project_only_and_the_others_stay_as_they_were(home, db):
    other = stories.codex_meta(id="s2", cwd="/srv/other")
    stories.lines(home / ".codex/sessions/2026/11/15/rollout-x-s2.jsonl", [other, stories.codex_user("x")])
    files = [file for file in sources(home) if file.format.name == "codex"]
    assert run(files, db, conditions=Conditions(project=Path("/srv/other")))["codex"].sessions == 1
    assert run(files, db)["codex"].sessions == 2
    assert run(files, db, conditions=Conditions(project=Path("/srv/other")))["codex"].unchanged == 2
    with Archive.open(db) as archive:
        assert len(archive.rows()) == 2


def test_since(home, db):
    old = datetime.now(UTC) - timedelta(days=60)
    path = stories.codex(home)
    os.utime(path, (old.timestamp(), old.timestamp()))
    tallies = run(sources(home), db, conditions=Conditions(since=datetime.now(UTC) - timedelta(days=30)))
    assert (tallies["codex"].files, tallies["kimi"].files) == (0, 1)


def test_sub_agents_are_inside_the_session_that_started_them(tmp_path, db):
    main = stories.claude(tmp_path)
    inner = main.with_suffix("") / "subagents" / "agent-a1.jsonl"
    stories.lines(inner, [stories.claude_line("user", "look", isSidechain=True, agentId="a1")])
    run(find([FORMATS["claude-code"]], home=tmp_path, environ={}), db)
    with Archive.open(db) as archive:
        (outer,) = [row for row in archive.rows() if not row.parent]
        trajectory = archive.trajectory(outer.number)
        assert [child.steps[0].message for child in trajectory.subagent_trajectories] == ["look"]
        to_json(trajectory)
        assert archive.forget([outer.number]) == 2


def test_sub_agents_of_sub_agents_are_inside_whatever_they_are_called(tmp_path, db):
    value = stories.atif_value()
    inner = {**value, "agent": {"name": "looker", "version": "1"}, "trajectory_id": "inner"}
    innermost = {**value, "agent": {"name": "reader", "version": "1"}, "trajectory_id": "innermost"}
    value["subagent_trajectories"] = [{**inner, "subagent_trajectories": [innermost]}]
    run([SourceFile(stories.document(tmp_path / "t.json", value), FORMATS["atif"])], db)
    with Archive.open(db) as archive:
        (outer,) = [row.number for row in archive.rows() if not row.parent]
        (looker,) = archive.trajectory(outer).subagent_trajectories
        assert (looker.agent.name, looker.subagent_trajectories[0].agent.name) == ("looker", "reader")
        assert archive.forget([outer]) == 3


def test_sub_agents_that_claim_to_have_started_each_other_are_told_once(tmp_path, db):
    files = [
        stories.lines(
            tmp_path / f"{own}.jsonl",
            [stories.codex_meta(id=own, parent_thread_id=other), stories.codex_user(own)],
        )
        for own, other in ("ab", "ba")
    ]
    run([SourceFile(path, FORMATS["codex"]) for path in files], db)
    with Archive.open(db) as archive:
        told = archive.trajectory(archive.find("a").number)
        assert [inner.session_id for inner in told.subagent_trajectories] == ["b"]
        assert told.subagent_trajectories[0].subagent_trajectories == ()
        assert archive.forget([archive.find("a").number]) == 2


def test_what_was_taken_out_is_counted_for_the_session_it_was_in(tmp_path, db):
    told = [
        stories.claude_line("user", "I am a@corp.io"),
        stories.claude_line("user", "look for b@corp.io", isSidechain=True, agentId="x"),
        stories.claude_line("user", "and c@corp.io"),
    ]
    path = stories.lines(tmp_path / "s1.jsonl", told)
    tallies = run([SourceFile(path, FORMATS["claude-code"])], db)
    with Archive.open(db) as archive:
        taken = {row.relation: row.redactions["email"] for row in archive.rows()}
    assert taken == {"": 2, "sub-agent": 1}
    assert tallies["claude-code"].redactions["email"] == 3


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_two_files_that_tell_one_session_the_later_one_counts(order, tmp_path, db):
    recorded = sorted((Path(__file__).parent / "data/sessions/codex-paginated").glob("*.jsonl"))[:2]
    paths = [Path(shutil.copy(path, tmp_path)) for path in recorded]
    tallies = run([SourceFile(paths[place], FORMATS["codex"]) for place in order], db)
    with Archive.open(db) as archive:
        (row,) = archive.rows()
        asked = [step.message for step in archive.steps(row.number) if step.source == "user"]
    assert asked == ["One: make a", "Three: make c", "Four: make d"]
    assert (tallies["codex"].sessions, tallies["codex"].steps) == (1, row.steps)
    paths[0].rename(packed := paths[0].with_suffix(".jsonl.1"))
    run([SourceFile(packed, FORMATS["codex"])], db)
    with Archive.open(db) as archive:
        assert archive.rows() == [row]


def test_files_of_the_same_name_are_sessions_of_their_own(tmp_path, db):
    files = []
    for trial in ("one", "two"):
        value = {name: found for name, found in stories.atif_value().items() if name != "session_id"}
        files.append(
            SourceFile(
                stories.document(tmp_path / trial / "agent" / "trajectory.json", value), FORMATS["atif"]
            )
        )
        files.append(SourceFile(stories.messages(tmp_path / trial), FORMATS["messages"]))
    tallies = run(files, db)
    assert (tallies["atif"].sessions, tallies["messages"].sessions) == (2, 2)
    with Archive.open(db) as archive:
        assert len(archive.rows()) == 4


def test_unreadable_files_are_reported_and_the_others_read(home, db):
    path = stories.kimi(home)
    path.unlink()
    path.symlink_to(home / "nowhere")
    tallies = run([*sources(home), SourceFile(path, FORMATS["kimi"])], db)
    assert len(tallies["kimi"].refused) == 1
    assert tallies["codex"].sessions == 1


def test_a_locked_database_of_a_client_is_reported(home, db):
    database = sqlite3.connect(stories.opencode(home / "other"), isolation_level=None)
    database.execute("BEGIN EXCLUSIVE")
    try:
        file = SourceFile(home / "other/.local/share/opencode/opencode.db", FORMATS["opencode"])
        tallies = run([file], db)
    finally:
        database.close()
    assert "locked" in tallies["opencode"].refused[0]


def test_a_locked_archive_says_so(home, db, monkeypatch):
    run([], db)
    monkeypatch.setattr("sharpen.traces.archive.BUSY_SECONDS", 0.1)
    holder = sqlite3.connect(db, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    try:
        with pytest.raises(StoreError, match="locked"):
            run(sources(home), db)
    finally:
        holder.close()


def test_files_that_are_no_archive_stay_untouched(tmp_path):
    text, other = tmp_path / "notes.txt", tmp_path / "other.db"
    text.write_text("not a database at all, and long enough to be read as a header\n" * 4)
    with sqlite3.connect(other) as database:
        database.execute("CREATE TABLE t (x)")
    database.close()
    for path in (text, other):
        before = path.read_bytes()
        with pytest.raises(UsageError, match="no archive of traces"), Archive.open(path, create=True):
            pass
        assert path.read_bytes() == before
    with pytest.raises(UsageError, match="sharpen harvest"), Archive.open(tmp_path / "missing.db"):
        pass


def test_forgotten_sessions_are_overwritten_and_do_not_come_back(home, db):
    marker = "the marker that must go"
    stories.lines(
        home / ".codex/sessions/2026/11/15/rollout-x-s2.jsonl",
        [stories.codex_meta(id="s2"), stories.codex_user(marker)],
    )
    run(sources(home), db)
    with Archive.open(db) as archive:
        (row,) = [row for row in archive.rows(client="codex") if row.name == "s2"]
        assert archive.forget([row.number]) == 1
    assert not any(marker.encode() in path.read_bytes() for path in db.parent.glob("traces.db*"))
    os.utime(home / ".codex/sessions/2026/11/15/rollout-x-s2.jsonl")
    run(sources(home), db)
    with Archive.open(db) as archive:
        assert "s2" not in {row.name for row in archive.rows(client="codex")}


def test_a_retention_limit_is_kept_at_every_harvest(home, db):
    run([], db)
    with Archive.open(db) as archive:
        archive.retention_days = 30
    old = stories.codex_meta(id="old", timestamp="2020-01-01T00:00:00Z")
    user = {**stories.codex_user("x"), "timestamp": "2020-01-01T00:00:00Z"}
    path = stories.lines(home / "old.jsonl", [old, user])
    run([SourceFile(path, FORMATS["codex"])], db)
    with Archive.open(db) as archive:
        assert archive.rows() == []
        assert archive.retention_days == 30


def test_rolled_back_steps_are_not_kept(tmp_path, db):
    rolled = stories.codex_line("event_msg", {"type": "thread_rolled_back", "num_turns": 1})
    many = [line for _ in range(400) for line in (stories.codex_said("x"), *stories.codex_command(1))]
    told = [
        stories.codex_meta(),
        stories.codex_user("a"),
        stories.codex_said("b"),
        stories.codex_user("c"),
        *many,
        rolled,
    ]
    run([SourceFile(stories.lines(tmp_path / "r.jsonl", told), FORMATS["codex"])], db)
    with Archive.open(db) as archive:
        (row,) = archive.rows()
        assert [step.message for step in archive.steps(row.number)] == ["a", "b"]
        assert row.steps == 2


def test_a_session_that_grew_keeps_its_number(home, db):
    run(sources(home), db)
    with Archive.open(db) as archive:
        before = {(row.client, row.name): row.number for row in archive.rows()}
    with stories.codex(home).open("a") as file:
        file.write(json.dumps(stories.codex_said("And more.")) + "\n")
    run(sources(home), db)
    with Archive.open(db) as archive:
        assert {(row.client, row.name): row.number for row in archive.rows()} == before


def test_a_session_whose_file_is_gone_stays(home, db):
    run(sources(home), db)
    stories.kimi(home).unlink()
    run(sources(home), db)
    with Archive.open(db) as archive:
        assert {row.client for row in archive.rows()} == set(CLIENTS)


def test_nothing_is_put_beside_a_clients_database(tmp_path, db):
    path = stories.opencode(tmp_path)
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
    before = sorted(path.parent.iterdir())
    assert run([SourceFile(path, FORMATS["opencode"])], db)["opencode"].sessions == 1
    assert sorted(path.parent.iterdir()) == before


def test_what_a_running_client_has_not_yet_put_into_its_file_is_read(tmp_path, db):
    path = stories.opencode(tmp_path)
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("UPDATE part SET data = replace(data, ?, 'Fix it now')", (PROMPT,))
        database.commit()
        run([SourceFile(path, FORMATS["opencode"])], db)
    with Archive.open(db) as archive:
        assert [row.title for row in archive.rows()] == ["Fix it now"]


def test_a_project_is_known_by_any_of_its_names(tmp_path, db):
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    told = [stories.codex_meta(cwd=str(link / "inner")), stories.codex_user("x")]
    file = SourceFile(stories.lines(tmp_path / "r.jsonl", told), FORMATS["codex"])
    assert run([file], db, conditions=Conditions(project=real))["codex"].sessions == 1


def test_folders_that_may_not_be_looked_into_are_named(home, monkeypatch):
    shut = home / ".codex" / "sessions" / "2026"
    really = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path != shut and really(path, mode))
    assert closed([FORMATS[client] for client in CLIENTS], home=home, environ={}) == [shut]


def test_times_are_compared_in_one_zone(tmp_path, db):
    user = {**stories.codex_user("x"), "timestamp": "2026-01-01T01:00:00+05:00"}
    told = [stories.codex_meta(timestamp="2026-01-01T00:30:00+05:00"), user]
    run([SourceFile(stories.lines(tmp_path / "r.jsonl", told), FORMATS["codex"])], db)
    with Archive.open(db) as archive:
        (row,) = archive.rows()
        assert (row.started, row.ended) == ("2025-12-31T19:30:00.000+00:00", "2025-12-31T20:00:00.000+00:00")
        assert archive.older_than("2025-12-31T21:00:00+00:00") == [row.number]


def test_a_full_disk_says_so_and_leaves_the_archive_as_it_was(home, db):
    run([file for file in sources(home) if file.format.name == "codex"], db)
    with Archive.open(db) as archive:
        (before,) = archive.rows()
        pages = archive.connection.execute("PRAGMA page_count").fetchone()[0]
    long = [stories.codex_meta(id="long"), *(stories.codex_user("word " * 20_000) for _ in range(300))]
    file = SourceFile(stories.lines(home / "long.jsonl", long), FORMATS["codex"])
    with pytest.raises(StoreError, match="disk is full"), Archive.open(db) as archive:
        archive.connection.execute(f"PRAGMA max_page_count = {pages + 50}")
        harvest([file], archive, privacy=Privacy(environ={}, names=()))
    with Archive.open(db) as archive:
        assert archive.rows() == [before]


def test_lone_halves_of_characters_and_endless_numbers_do_not_stop_a_harvest(tmp_path, db):
    call = stories.codex_command(0)[0]
    call["payload"]["arguments"] = '{"cmd": "x\\ud800", "n": 1e999, "deep": ' + "[" * 500 + "]" * 500 + "}"
    path = stories.lines(tmp_path / "r.jsonl", [stories.codex_meta(), stories.codex_user("a\ud800b"), call])
    run([SourceFile(path, FORMATS["codex"])], db)
    with Archive.open(db) as archive:
        (row,) = archive.rows()
        assert row.title == "a\ufffdb"
        json.dumps(to_json(archive.trajectory(row.number)), allow_nan=False).encode()


# -- nothing private survives -----------------------------------------------------------------------------

SECRETS = [item for item in planted(7, each=3) if "\n" not in item.secret]
PLACES = (PROMPT, *COMMANDS, *stories.OUTPUTS, FINAL)


@pytest.mark.parametrize("story", STORIES)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(item=st.sampled_from(SECRETS), place=st.sampled_from(PLACES), padding=st.integers(0, 3000))
def test_no_planted_secret_survives_reader_store_and_compaction(
    story, item, place, padding, tmp_path_factory
):
    folder = tmp_path_factory.mktemp("story")
    path = STORIES[story][1](folder)
    is_there = plant(path, place, f"{place}\n{'pad ' * padding}{item.text}")
    db, told = folder / "traces.db", ""
    with Archive.open(db, create=True) as archive:
        harvest([SourceFile(path, recognise(path))], archive, privacy=Privacy(environ={}, names=()))
        for row in archive.rows():
            trajectory = archive.trajectory(row.number)
            told += json.dumps(to_json(trajectory))
            for text in (told, compact(trajectory, 300), compact(trajectory, 100_000)):
                assert not survives(item.secret, text)
    assert "[redacted:" in told or not is_there
    kept = b"".join(file.read_bytes() for file in folder.glob("traces.db*"))
    assert not survives(item.secret, kept.decode("utf-8", "replace"))


def test_no_field_of_a_trajectory_is_left_out(tmp_path, db):
    secret = "sk-ant-api03-" + "aB3" * 12
    facts = {"note": secret, "deep": [{"x": secret}]}
    value = stories.atif_value()
    value |= {
        "notes": secret,
        "extra": {**facts, "project": f"/x/{secret}", "errors": [secret], "started": secret},
    }
    value["agent"] |= {"model_name": secret, "extra": facts, "tool_definitions": [facts]}
    value["final_metrics"] = {"total_prompt_tokens": 1, "extra": facts}
    step = value["steps"][1]
    step |= {
        "model_name": secret,
        "reasoning_effort": secret,
        "reasoning_content": secret,
        "timestamp": secret,
    }
    step |= {
        "metrics": {"prompt_tokens": 1, "extra": facts},
        "extra": facts,
        "message": [{"type": "text", "text": secret}],
    }
    step["tool_calls"][0] |= {"function_name": secret, "extra": facts, "arguments": facts}
    step["observation"]["results"][0] |= {
        "extra": facts,
        "subagent_trajectory_ref": [facts],
        "content": secret,
    }
    path = stories.document(tmp_path / "t.json", value)
    assert run([SourceFile(path, FORMATS["atif"])], db)["atif"].sessions == 1
    assert not any(secret.encode() in file.read_bytes() for file in tmp_path.glob("traces.db*"))
    with Archive.open(db) as archive:
        assert secret not in json.dumps(to_json(archive.trajectory(1)))


def plant(path: Path, place: str, text: str) -> bool:
    """Put the text where the story has the words; False where the format does not keep them."""
    spelled = json.dumps(text)[1:-1]
    if path.suffix == ".db":
        with sqlite3.connect(path) as database:
            database.execute(
                "UPDATE part SET data = replace(data, ?, ?)", (json.dumps(place), f'"{spelled}"')
            )
        database.close()
        return True
    old = path.read_text()
    # Words stand as a JSON string, as part of one, or in JSON inside a string.
    new = old.replace(f'"{place}"', f'"{spelled}"').replace(
        f'\\"{place}\\"', json.dumps(f'"{spelled}"')[1:-1]
    )
    new = new.replace(place, spelled) if new == old else new
    path.write_text(new)
    return new != old


def test_the_number_of_a_forgotten_session_is_not_given_again(home, db):
    first, *rest = sources(home)
    run([first], db)
    with Archive.open(db) as archive:
        (gone,) = (row.number for row in archive.rows())
        archive.forget([gone])
    run(rest, db)
    with Archive.open(db) as archive:
        assert gone not in {row.number for row in archive.rows()}
