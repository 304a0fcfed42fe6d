"""`sharpen harvest`: the sessions of coding agents, read, redacted and kept in one file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from sharpen.cli import options
from sharpen.cli.ages import moment
from sharpen.cli.terminal import console, print_json, print_table, say
from sharpen.errors import UsageError
from sharpen.report.sentences import plural
from sharpen.traces.archive import Archive
from sharpen.traces.harvest import Conditions, Tally, closed, find, harvest
from sharpen.traces.privacy import Privacy
from sharpen.traces.reading import SourceFile, recognise
from sharpen.traces.sources import FORMATS, SHORT_NAMES, Format

ALL = "all"
ENDINGS = (".json", ".jsonl", ".traj", ".eval", ".zst", ".gz", ".db")
"""What files with sessions in them end with, in folders that are handed over."""


def command(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE", help="Exported sessions or datasets to read instead of the clients' own."
        ),
    ] = None,
    sources: Annotated[
        list[str] | None,
        typer.Option(
            "--from", metavar="NAME", help="Whose sessions: codex, claude, gemini … or all; repeatable."
        ),
    ] = None,
    to: Annotated[Path, typer.Option("--to", metavar="DB", help="The file that keeps them.")] = Path(
        "traces.db"
    ),
    project: Annotated[
        Path | None, typer.Option("--project", metavar="DIR", help="Only sessions in this folder or below.")
    ] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="AGE", help="Only what changed since then: 30d, 12h, a date."),
    ] = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Read the sessions of coding agents into one file, without their secrets.

    Nothing is read that was not asked for by name, nothing is changed where it is read, and nothing leaves
    the machine. Credentials, e-mail addresses, telephone numbers, IP addresses and user names are taken out
    before anything is written. Run it again at any time: only what is new or changed is read.
    """
    names = _names(sources or [])
    wanted = [] if files else _clients(names)
    chosen = _given(files, names) if files else find(wanted)
    shut = {format_.name: found for format_ in wanted if (found := closed([format_]))}
    if not chosen:
        raise UsageError(_nothing(wanted, shut))
    asked = Conditions(
        project=project.expanduser().resolve() if project else None,
        since=moment(since, option="--since") if since else None,
    )
    privacy = Privacy()
    if privacy.engine != "re2" and not quiet:
        say("redaction is slow without RE2, about 5 s for a megabyte: pip install 'sharpen[traces]'")
    with Archive.open(to, create=True) as archive, _bar(chosen, quiet=quiet) as progress:
        tallies = harvest(chosen, archive, privacy=privacy, conditions=asked, on_file=progress)
        forgotten = archive.forgotten
    for name, folders in shut.items():
        told = (privacy.redact(f"{folder}: you may not look into it") for folder in folders)
        tallies.setdefault(name, Tally()).refused.extend(told)
    _complain(tallies, is_handed=bool(files))
    if json:
        print_json({name: _facts(tally) for name, tally in sorted(tallies.items())})
        return
    _print(tallies)
    if not quiet:
        say(_summary(tallies))
        say(_end(tallies, to, forgotten))


def _names(given: Sequence[str]) -> list[str]:
    typed = [name.strip().lower() for text in given for name in text.split(",") if name.strip()]
    known = [ALL, *SHORT_NAMES, *FORMATS]
    for name in typed:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}? There" if near else "there"
            raise UsageError(f"--from {name}: there is no such source; {hint} are {', '.join(known)}")
    return [SHORT_NAMES.get(name, name) for name in typed]


def _given(handed: list[Path], names: list[str]) -> list[SourceFile]:
    if len(names) > 1 or ALL in names:
        raise UsageError("files are of one format each: name one with --from, or none to have it recognised")
    given = [file for path in handed for file in _handed(path, FORMATS[names[0]] if names else None)]
    if not given:
        raise UsageError(f"no sessions of a known format are in {', '.join(map(str, handed))}")
    return given


def _clients(names: list[str]) -> list[Format]:
    clients = [format_ for format_ in FORMATS.values() if format_.places]
    if not names:
        raise UsageError(f"say whose sessions may be read: --from {_offer(clients)}")
    wanted = clients if ALL in names else [FORMATS[name] for name in names]
    handed_only = [format_.name for format_ in wanted if not format_.places]
    if handed_only:
        raise UsageError(f"{handed_only[0]} files lie nowhere in particular: name the files")
    return wanted


def _handed(path: Path, format_: Format | None) -> Iterator[SourceFile]:
    """A file as it is; of a folder, such as a job's, the files in it that are sessions."""
    if not path.is_dir():
        if not path.exists():
            raise UsageError(f"{path} is not there")
        yield SourceFile(path, format_ or recognise(path))
        return
    for inner in sorted(inner for inner in path.rglob("*") if inner.suffix in ENDINGS and inner.is_file()):
        try:
            yield SourceFile(inner, format_ or recognise(inner))
        except UsageError:
            continue  # results, settings and whatever else lies beside sessions


def _offer(clients: list[Format]) -> str:
    here = {format_.name: _is_here(format_) for format_ in clients}
    some = ", ".join(f"{name} ({what})" for name, what in here.items() if what)
    return f"all, or some of: {some}" if some else f"all, {', '.join(here)}; none of them has sessions here"


def _is_here(client: Format) -> str:
    if count := len(find([client])):
        return plural(count, "file")
    return "you may not look into its folder" if closed([client]) else ""


def _nothing(wanted: Sequence[Format], shut: Mapping[str, Sequence[Path]]) -> str:
    places = sorted({f"~/{place.folder}" for format_ in wanted for place in format_.places})
    if shut:
        folders = ", ".join(str(folder) for found in shut.values() for folder in found)
        return f"you may not read {folders}; harvest as the user whose sessions they are"
    names = ", ".join(format_.name for format_ in wanted)
    return (
        f"no sessions of {names} were found below {', '.join(places)}; "
        "has the client been used by this user? Exported files can be named instead"
    )


@contextmanager
def _bar(files: Sequence[SourceFile], *, quiet: bool) -> Iterator[Callable[[SourceFile], None]]:
    err = console(stderr=True)
    sizes = {file.path: _size(file.path) for file in files}
    if not quiet and not err.is_terminal:
        say(f"reading {plural(len(files), 'file')}, {sum(sizes.values()) / 1e6:,.1f} MB")
    columns = (TextColumn("{task.description:<12}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True, disable=quiet or not err.is_terminal) as progress:
        job = progress.add_task("", total=sum(sizes.values()))
        last: list[Path] = []

        def on_file(file: SourceFile) -> None:
            progress.update(job, advance=sizes[last[-1]] if last else 0, description=file.format.name)
            last[:] = [file.path]

        yield on_file


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # it went away, or may not be looked at: reading it will say so
        return 0


def _complain(tallies: Mapping[str, Tally], *, is_handed: bool) -> None:
    """What could not be read; clients leave files without a session behind, people do not hand them over."""
    for name, tally in tallies.items():
        for refused in tally.refused:
            say(f"not read: {refused}")
        for path in tally.empty if is_handed else ():
            say(f"no session in {path}, read as {name}")


def _print(tallies: Mapping[str, Tally]) -> None:
    head = ("source", "sessions", "steps", "failures", "outcomes known", "redactions", "unreadable lines")
    rows = [[name, *map(str, _numbers(tally))] for name, tally in sorted(tallies.items())]
    print_table(head, rows, right=range(1, len(head)))


def _summary(tallies: Mapping[str, Tally]) -> str:
    every = list(tallies.values())
    files, unchanged = sum(tally.files for tally in every), sum(tally.unchanged for tally in every)
    told = [f"{plural(files, 'file')}, {unchanged} of them as at the last harvest"]
    if empty := sum(len(tally.empty) for tally in every):
        told.append(f"{empty} without a session")
    if older := sum(tally.older for tally in every):
        told.append(f"{plural(older, 'file')} not changed since --since")
    if elsewhere := sum(tally.elsewhere for tally in every):
        told.append(f"{plural(elsewhere, 'session')} outside of --project")
    told.append(f"{sum(len(tally.refused) for tally in every)} could not be read")
    return "; ".join(told)


def _end(tallies: Mapping[str, Tally], to: Path, forgotten: int) -> str:
    if any(tally.sessions for tally in tallies.values()):
        return f"kept in {to}; `sharpen traces list --db {to}` shows them"
    stay = f"; {plural(forgotten, 'session')} forgotten before, which stay so" if forgotten else ""
    return f"nothing new was kept in {to}{stay}"


def _numbers(tally: Tally) -> tuple[int, ...]:
    taken = sum(tally.redactions.values())
    return (tally.sessions, tally.steps, tally.failures, tally.known, taken, tally.unread)


def _facts(tally: Tally) -> dict[str, object]:
    return {
        "files": tally.files,
        "unchanged": tally.unchanged,
        "files_before_since": tally.older,
        "files_without_session": tally.empty,
        "sessions_outside_project": tally.elsewhere,
        "sessions": tally.sessions,
        "steps": tally.steps,
        "failures": tally.failures,
        "corrections": tally.corrections,
        "outcomes_known": tally.known,
        "redactions": dict(sorted(tally.redactions.items())),
        "unreadable_lines": tally.unread,
        "unreadable_files": tally.refused,
    }
