"""Level `bubblewrap`: namespaces of its own for every job, made by the program `bwrap`.

Keeps wrappings ready for the folders that were used last, each made when a job in it is over. Knows
nothing of how a wrapping is made.
"""

from __future__ import annotations

import weakref
from pathlib import Path

from . import bwrap
from .confine.cgroups import Group
from .limits import Limits
from .running import Job, Started
from .view import View
from .wrapping import OWN_PROCESSES, Wrapping

_KEPT = 8  # wrappings; one is three idle processes


class Bubblewrap:
    """The level: starts jobs, and keeps a wrapping ready for each of the folders used last."""

    def __init__(self, view: View, limits: Limits, cgroups: Path | None) -> None:
        self._view, self._limits, self._cgroups = view, limits, cgroups
        self._ready: dict[Path, Wrapping] = {}  # the folder used last comes last
        self._groups: list[Group] = []
        self._closed = False
        self._clear = weakref.finalize(self, _remove_all, self._groups)

    async def start(self, job: Job) -> Started:
        wrapping = self._ready.pop(job.folder, None)
        if wrapping is not None and not wrapping.fits(job.folder):
            wrapping.drop()
            wrapping = None
        wrapping = wrapping or self._wrapping(job.folder)
        try:
            return Started(await wrapping.begin(), wrapping.pipes, bwrap.spoken(job), bwrap.GREETING)
        except BaseException:
            wrapping.drop()
            raise

    def prepare(self, folder: Path) -> None:
        self._groups[:] = [group for group in self._groups if not (group.retired and group.removed())]
        stale = [place for place, wrapping in self._ready.items() if not wrapping.fits(place)]
        for place in stale or list(self._ready)[: max(0, len(self._ready) - _KEPT + 1)]:
            self._ready.pop(place).drop()
        if folder not in self._ready and not self._closed and folder.is_dir():
            self._ready[folder] = self._wrapping(folder)
            self._ready[folder].settle_when_ready()

    def close(self) -> None:
        self._closed = True
        while self._ready:
            self._ready.popitem()[1].drop()
        self._clear()

    def _wrapping(self, folder: Path) -> Wrapping:
        group = None
        if self._cgroups is not None and self._limits.processes is not None:
            group = Group(self._cgroups, self._limits.processes + OWN_PROCESSES)
            self._groups.append(group)
        return Wrapping(folder, view=self._view, limits=self._limits, group=group)


def _remove_all(groups: list[Group]) -> None:
    for group in groups:
        group.remove()
