"""How much a job may use. Numbers only; who enforces them depends on the level of isolation."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from sharpen.errors import SandboxError

_MIB = 1 << 20
_OPEN_FILES = 1024


@dataclass(frozen=True)
class Limits:
    """None lifts a limit; time and output always have one.

    The defaults let a test suite, a compiler or a script with a few workers run, and end a runaway within a
    minute, before the machine feels it.
    """

    memory_mb: int | None = 1024  # address space of each process
    cpu_seconds: int | None = 30  # of each process
    seconds: float = 60.0  # by the clock, for the whole run
    processes: int | None = 128  # processes and threads together
    file_mb: int | None = 64  # each file
    output_bytes: int = 4 * _MIB  # stdout and stderr together

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None and field.name not in ("seconds", "output_bytes"):
                continue
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
                raise SandboxError(f"the limit {field.name} must be a positive number, not {value!r}")

    def rlimits(self) -> dict[str, tuple[int, int]]:
        """The kernel's limits per process, soft and hard, by the name after RLIMIT_."""
        wanted = {"CORE": (0, 0), "NOFILE": (_OPEN_FILES, _OPEN_FILES)}
        if self.memory_mb is not None:
            wanted["AS"] = (int(self.memory_mb * _MIB),) * 2
        if self.cpu_seconds is not None:
            whole = math.ceil(self.cpu_seconds)
            wanted["CPU"] = (whole, whole + 1)  # the soft one can be ignored, the hard one cannot
        if self.file_mb is not None:
            wanted["FSIZE"] = (int(self.file_mb * _MIB),) * 2
        return wanted
