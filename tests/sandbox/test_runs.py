"""Harmless work works, at every level; what cannot be run is said."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from pathlib import Path

import pytest

from sharpen.sandbox import Finished, Limits, Sandbox, SandboxError, open_sandbox

from .conftest import ISOLATING, WORKING, Opener

each_level = pytest.mark.parametrize("level", WORKING)


def run(sandbox: Sandbox, *argv: str, folder: Path, **more: object) -> Finished:
    return asyncio.run(sandbox.run(argv, folder=folder, **more))  # type: ignore[arg-type]


@each_level
def test_python_with_its_library(level: str, opened: Opener, folder: Path) -> None:
    code = (
        "import json, sqlite3, ssl, tempfile, unittest; tempfile.TemporaryFile(); print(json.dumps({'a': 1}))"
    )
    finished = run(opened(level), "python3", "-c", code, folder=folder)
    assert (finished.exit_code, finished.stdout, finished.stderr) == (0, b'{"a": 1}\n', b"")
    assert (finished.isolation, finished.stopped_by, finished.truncated) == (level, None, False)


@each_level
def test_a_shell_pipeline_and_files_in_the_folder(level: str, opened: Opener, folder: Path) -> None:
    script = (
        "mkdir -p a/b && seq 100 | sort -rn | head -1 > a/b/top && cat < <(cat a/b/top) "
        "&& mv a/b/top t && cp -p t u"
    )
    finished = run(opened(level), "bash", "-c", script, folder=folder)
    assert (finished.exit_code, finished.stdout) == (0, b"100\n")
    assert (folder / "t").read_text() == (folder / "u").read_text() == "100\n"


@each_level
def test_modes_and_times_can_be_changed_in_the_folder(level: str, opened: Opener, folder: Path) -> None:
    script = (
        "echo 'echo ran' > tool && chmod +x tool && ./tool && touch -d @1000000000 tool && chmod 600 missing"
    )
    finished = run(opened(level), "bash", "-c", script, folder=folder)
    assert finished.stdout == b"ran\n"
    assert b"No such file" in finished.stderr
    assert (folder / "tool").stat().st_mode & 0o777 == 0o755
    assert (folder / "tool").stat().st_mtime == 1_000_000_000


@each_level
def test_the_folder_has_its_own_path_and_is_where_the_job_starts(
    level: str, opened: Opener, folder: Path
) -> None:
    finished = run(opened(level), "pwd", folder=folder)
    assert Path(finished.stdout.decode().strip()) == folder.resolve()


@each_level
@pytest.mark.parametrize("code", [0, 1, 3, 127])
def test_exit_codes(level: str, code: int, opened: Opener, folder: Path) -> None:
    finished = run(opened(level), "sh", "-c", f"exit {code}", folder=folder)
    assert (finished.exit_code, finished.signal) == (code, None)


@each_level
def test_a_signal_is_not_an_exit_code(level: str, opened: Opener, folder: Path) -> None:
    finished = run(opened(level), "sh", "-c", "kill -SEGV $$", folder=folder)
    assert (finished.exit_code, finished.signal, finished.stopped_by) == (None, signal.SIGSEGV, None)


@each_level
def test_input_words_and_variables_arrive_as_they_are(level: str, opened: Opener, folder: Path) -> None:
    words = ["a b", "", "'\"$HOME`x`\\", "zwei\nZeilen\n", "grüße 😀", "-n", "*"]
    code = "import os, sys; print(repr((sys.argv[1:], os.environ['V'], sys.stdin.read())))"
    stdin = "eins\nzwei ü\n" * 20_000
    finished = run(
        opened(level), "python3", "-c", code, *words, folder=folder, stdin=stdin.encode(), env={"V": "x\n'ü'"}
    )
    assert finished.stdout.decode().strip() == repr((words, "x\n'ü'", stdin))


@each_level
def test_the_environment_is_short(
    level: str, opened: Opener, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    code = "import os; print(*sorted(os.environ))"
    names = run(opened(level), "python3", "-c", code, folder=folder, env={"EXTRA": "1"}).stdout.split()
    assert set(names) - {b"LC_CTYPE", b"PWD"} == {b"EXTRA", b"HOME", b"LANG", b"PATH", b"TMPDIR"}


@each_level
def test_a_megabyte_of_output_on_both_streams(level: str, opened: Opener, folder: Path) -> None:
    code = "import os\nfor _ in range(1000): os.write(1, b'o' * 1000); os.write(2, b'e' * 1000)"
    finished = run(opened(level), "python3", "-c", code, folder=folder)
    assert (finished.stdout, finished.stderr) == (b"o" * 1_000_000, b"e" * 1_000_000)
    assert not finished.truncated


@each_level
def test_output_is_kept_up_to_the_bound(level: str, opened: Opener, folder: Path) -> None:
    finished = run(opened(level, output_bytes=1000), "yes", folder=folder)
    assert (finished.stopped_by, finished.truncated, len(finished.stdout)) == ("output", True, 1000)


@each_level
def test_a_job_that_does_not_read_its_input(level: str, opened: Opener, folder: Path) -> None:
    finished = run(opened(level), "true", folder=folder, stdin=b"x" * 1_000_000)
    assert finished.exit_code == 0


@each_level
def test_twenty_at_once(level: str, opened: Opener, folder: Path) -> None:
    async def all_of_them() -> list[Finished]:
        script = "sleep 0.2; echo $1 > out-$1; cat; echo done"
        jobs = (
            opened(level).run(["sh", "-c", script, "sh", str(n)], folder=folder, stdin=b"%d " % n)
            for n in range(20)
        )
        return await asyncio.gather(*jobs)

    finished = asyncio.run(all_of_them())
    assert [f.stdout for f in finished] == [b"%d done\n" % n for n in range(20)]
    assert sorted(int(p.read_text()) for p in folder.iterdir()) == list(range(20))


@each_level
def test_private_tmp_is_empty_and_does_not_last(level: str, opened: Opener, folder: Path) -> None:
    script = 'ls -A "$TMPDIR"; echo x > "$TMPDIR/left"; echo x > ~/home; ls -A "$TMPDIR" ~'
    first, second = (run(opened(level), "sh", "-c", script, folder=folder) for _ in range(2))
    assert first.exit_code == 0, first
    assert first.stdout.split().count(b"left") == second.stdout.split().count(b"left") >= 1
    assert list(folder.iterdir()) == []


@each_level
def test_extra_paths(level: str, folder: Path, tmp_path: Path) -> None:
    for name in ("shown", "open"):
        (tmp_path / name).mkdir()
    (tmp_path / "shown" / "data").write_text("read me")
    places = {"readable": (tmp_path / "shown",), "writable": (tmp_path / "open",)}
    sandbox = open_sandbox(level, missing_limits_ok=True, **places)  # type: ignore[arg-type]
    script = f"cat {tmp_path}/shown/data > {tmp_path}/open/copy; echo x > {tmp_path}/shown/data"
    finished = run(sandbox, "sh", "-c", script, folder=folder)
    sandbox.close()
    assert (tmp_path / "open" / "copy").read_text() == "read me"
    assert (finished.exit_code == 0) == (level == "none")


@each_level
def test_network_when_asked_for(level: str, folder: Path) -> None:
    code = (
        "import socket, threading; s = socket.create_server(('127.0.0.1', 0))\n"
        "threading.Thread(target=lambda: s.accept()[0].send(b'hello')).start()\n"
        "print(socket.create_connection(s.getsockname()).recv(9))"
    )
    sandbox = open_sandbox(level, network=True, missing_limits_ok=True)
    finished = run(sandbox, "python3", "-c", code, folder=folder)
    sandbox.close()
    assert finished.stdout == b"b'hello'\n", finished


@each_level
def test_what_cannot_be_run_is_said(level: str, opened: Opener, folder: Path) -> None:
    (folder / "plain").write_text("no program")
    (folder / "odd").write_text("#!/no/such/interpreter\n")
    (folder / "odd").chmod(0o755)
    for argv, message in [
        (["no-such-program"], "no program 'no-such-program'"),
        (["./missing"], "no program './missing'"),
        (["./plain"], "no program './plain'"),
        ([], "non-empty list of words"),
        (["echo", "a\0b"], "NUL"),
    ]:
        with pytest.raises(SandboxError, match=message):
            run(opened(level), *argv, folder=folder)
    with contextlib.suppress(SandboxError):
        assert run(opened(level), "./odd", folder=folder).exit_code != 0


@each_level
def test_folders_that_cannot_be_given(level: str, opened: Opener, tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="is not there"):
        run(opened(level), "true", folder=tmp_path / "missing")
    for place in ("/", "/usr", str(Path.home()), os.path.dirname(Path.home())):  # noqa: PTH120
        with pytest.raises(SandboxError, match="a folder of its own"):
            run(opened(level), "true", folder=Path(place))


@pytest.mark.skipif("bubblewrap" not in WORKING, reason="needs bubblewrap")
def test_a_program_outside_of_the_view_is_named(opened: Opener, folder: Path, tmp_path: Path) -> None:
    hidden = tmp_path / "hidden"
    hidden.write_text("#!/bin/sh\n")
    hidden.chmod(0o755)
    with pytest.raises(SandboxError, match="not visible in the sandbox"):
        run(opened("bubblewrap"), str(hidden), folder=folder)


def test_limits_must_be_positive_numbers() -> None:
    for wrong in ({"seconds": 0}, {"memory_mb": -1}, {"output_bytes": None}, {"processes": "many"}):
        with pytest.raises(SandboxError, match=next(iter(wrong))):
            Limits(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("level", ISOLATING)
def test_a_view_that_is_gone_is_an_error_and_not_a_wait(level: str, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "shown").mkdir()
    sandbox = open_sandbox(level, readable=(tmp_path / "shown",), missing_limits_ok=True)  # type: ignore[arg-type]
    (tmp_path / "shown").rmdir()
    with pytest.raises(SandboxError, match=r"could not be started.*No such file.*"):
        run(sandbox, "true", folder=folder)
    sandbox.close()
