"""Getting a suite's data from the Hugging Face hub, each file verified by the checksum the hub states for it.

What was fetched, from which commit and with which checksums, is written down in `fetched.json`; a later
fetch keeps files that still agree and replaces the others. Nothing appears under its name before it is
verified and, if it is an archive, unpacked. A hub elsewhere is named by HF_ENDPOINT, as its own tools do; a
token for gated data comes from HF_TOKEN.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tarfile
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatch
from http.client import HTTPException, HTTPResponse
from pathlib import Path, PurePosixPath
from typing import Any

from sharpen.errors import ProviderError, StoreError, TaskError
from sharpen.tasks.suites.sources import RECEIPT, Source
from sharpen.tasks.suites.suite import Suite

HUB = "https://huggingface.co"
_CHUNK = 1 << 20
_SECONDS = 60
_NEXT = re.compile(r'<([^>]+)>;\s*rel="next"')


@dataclass(frozen=True, slots=True)
class Remote:
    """A file of the hub: `sha256` for large files, else the checksum that git gives a file of its content."""

    path: str
    size: int
    sha256: str = ""
    git: str = ""


def fetch(suite: Suite, folder: Path, *, say: Callable[[str], None] = lambda line: None) -> Path:
    """The suite's data in `folder`; `say` is told each file as it comes."""
    source = suite.source
    if source is None or not source.dataset:
        remedy = source.command if source is not None and source.command else "see its authors' page"
        raise TaskError(f"the data of {suite.name} cannot be fetched from here; {remedy}")
    commit, files = _listed(suite, source)
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        place = folder / PurePosixPath(file.path)
        if _agrees(place, file):
            say(f"{file.path} is here already")
            continue
        say(f"getting {file.path} ({file.size:,} bytes)")
        _download(source, commit, file, place, folder)
    _note(folder, source, commit, files)
    return folder


# -- the hub ---------------------------------------------------------------------------------------------


def _listed(suite: Suite, source: Source) -> tuple[str, list[Remote]]:
    """The commit a revision stands for, and its files that are wanted."""
    api = f"{_hub()}/api/datasets/{source.dataset}"
    about, _ = _json(f"{api}/revision/{source.revision}", source)
    commit = str(about.get("sha") or source.revision)
    entries = list(_entries(f"{api}/tree/{commit}?recursive=true", source))
    found = [one for one in entries if any(fnmatch(one.path, pattern) for pattern in source.files)]
    if not found:
        raise TaskError(
            f"{source.page} at {commit} holds no {' or '.join(source.files)} any more, which the suite "
            f"{suite.name} reads; it holds {', '.join(one.path for one in entries[:8])}"
        )
    return commit, found


def _entries(url: str, source: Source) -> Iterator[Remote]:
    """Every file, page by page."""
    while url:
        entries, url = _json(url, source)
        for entry in entries:
            if entry.get("type") == "file":
                large: dict[str, Any] = entry.get("lfs") or {}
                yield Remote(
                    _inside(str(entry["path"]), source),
                    int(entry["size"]),
                    str(large.get("oid", "")),
                    str(entry.get("oid", "")),
                )


def _inside(path: str, source: Source) -> str:
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts:
        raise ProviderError(f"the hub names a file {path!r} of {source.dataset} that would leave the folder")
    return path


def _json(url: str, source: Source) -> tuple[Any, str]:
    """What the hub says there, and the address of the next page, if there is one."""
    with _opened(url, source) as answer:
        content, link = answer.read(), _NEXT.search(answer.headers.get("Link", ""))
    try:
        return json.loads(content), link[1] if link else ""
    except ValueError as error:
        raise ProviderError(f"{url} gave no JSON ({error}); is HF_ENDPOINT the address of a hub?") from None


def _hub() -> str:
    return os.environ.get("HF_ENDPOINT", HUB).rstrip("/")


@contextmanager
def _opened(url: str, source: Source) -> Iterator[HTTPResponse]:
    if not url.startswith(("https://", "http://")):
        raise TaskError(f"{url} is no address of a hub; set HF_ENDPOINT to one, or unset it")
    request = urllib.request.Request(url)
    token = os.environ.get("HF_TOKEN")
    if token:
        request.add_unredirected_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
            yield answer
    except urllib.error.HTTPError as error:
        error.close()
        raise _refusal(source, error.code) from None
    except (urllib.error.URLError, TimeoutError, ConnectionError, HTTPException) as error:
        reason = getattr(error, "reason", error)
        raise ProviderError(
            f"{_hub()} cannot be reached ({reason}): there seems to be no network; "
            f"get the data from {source.page} elsewhere and put them into the folder by hand"
        ) from None


def _refusal(source: Source, code: int) -> ProviderError:
    if code in (401, 403):
        return ProviderError(
            f"the hub refuses {source.dataset}: accept its conditions at {source.page} "
            "and set HF_TOKEN to a token of yours"
        )
    return ProviderError(f"the hub answers {code} for {source.dataset}; see {source.page}")


# -- files -----------------------------------------------------------------------------------------------


def _download(source: Source, commit: str, file: Remote, place: Path, folder: Path) -> None:
    url = f"{_hub()}/datasets/{source.dataset}/resolve/{commit}/{urllib.parse.quote(file.path)}"
    place.parent.mkdir(parents=True, exist_ok=True)
    growing = place.with_name(place.name + ".part")
    try:
        with _opened(url, source) as answer, growing.open("wb") as target:
            shutil.copyfileobj(answer, target, _CHUNK)
        if not _agrees(growing, file):
            raise ProviderError(
                f"{file.path} of {source.dataset} came with another checksum than the hub states for it; "
                "it was not kept. Fetch it again"
            )
        _unpack(growing, place.name, folder)
        growing.replace(place)
    except OSError as error:
        raise StoreError(f"{place} cannot be written: {error.strerror or error}") from error
    finally:
        growing.unlink(missing_ok=True)


def _agrees(path: Path, file: Remote) -> bool:
    if not path.is_file() or path.stat().st_size != file.size:
        return False
    if file.sha256:
        return _digest(path, hashlib.sha256()) == file.sha256
    header = f"blob {file.size}\0".encode()
    return _digest(path, hashlib.sha1(header, usedforsecurity=False)) == file.git


def _digest(path: Path, digest: Any) -> str:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return str(digest.hexdigest())


def _unpack(path: Path, name: str, folder: Path) -> None:
    """Archives are opened where the data are wanted; members that would leave the folder are refused."""
    try:
        if name.endswith((".tar.gz", ".tgz")):
            with tarfile.open(path) as archive:
                archive.extractall(folder, filter="data")
        elif name.endswith(".zip"):
            with zipfile.ZipFile(path) as packed:
                packed.extractall(folder)  # drops absolute paths and dots by itself
    except (tarfile.TarError, zipfile.BadZipFile) as error:
        raise ProviderError(f"{name} cannot be unpacked: {error}") from error


def _note(folder: Path, source: Source, commit: str, files: list[Remote]) -> None:
    receipt = {
        "dataset": source.dataset,
        "commit": commit,
        "licence": source.licence,
        "files": {one.path: {"bytes": one.size, "sha256": one.sha256, "git": one.git} for one in files},
    }
    half = folder / f".{RECEIPT}.half"
    half.write_text(json.dumps(receipt, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    half.replace(folder / RECEIPT)
