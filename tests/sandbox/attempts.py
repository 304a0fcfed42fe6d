"""What an attempt to escape is.

Each piece of Python is run inside a sandbox. If it runs to its end, the job got what it wanted and ESCAPED is
printed; an exception means that it did not. What the job needs to know of the host (paths, ports, the id of a
decoy process that plays the parent) is in its environment: knowing is not reaching.
"""

from __future__ import annotations

from dataclasses import dataclass, field

PRELUDE = """
import ctypes, errno, os, resource, signal, socket, subprocess, sys, threading, time
from pathlib import Path
canary, outside, parent = os.environ["CANARY"], os.environ["OUTSIDE"], int(os.environ["PARENT"])
libc = ctypes.CDLL(None, use_errno=True)
def refused(number, *arguments):
    result = libc.syscall(ctypes.c_long(number), *arguments)
    return result < 0 and ctypes.get_errno() in (errno.EPERM, errno.ENOSYS)
"""


@dataclass(frozen=True)
class Escape:
    name: str
    code: str
    bare: bool = False  # succeeds without isolation, which shows that the attempt is a real one
    stopped_by: str | None = None
    limits: dict[str, float] = field(default_factory=dict)

    @property
    def script(self) -> str:
        if self.stopped_by:
            return f"{PRELUDE}\n{self.code.strip()}\nprint('ESCAPED')\n"
        body = "\n".join("    " + line for line in self.code.strip().splitlines())
        return (
            f"{PRELUDE}\ntry:\n{body}\nexcept (Exception, SystemExit) as error:\n"
            "    print('contained', repr(error)); raise SystemExit(3)\nprint('ESCAPED')\n"
        )
