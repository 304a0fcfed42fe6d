"""System calls that the standard library does not wrap: prctl, Landlock, seccomp, capabilities, by number.

Knows the numbers of x86_64 and aarch64. Does not know what should be forbidden.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys

LINUX = sys.platform == "linux"
MACHINE = platform.machine()

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4

LANDLOCK_CREATE_RULESET = 444  # from 5.13 on both machines have the same numbers
LANDLOCK_ADD_RULE = 445
LANDLOCK_RESTRICT_SELF = 446
SECCOMP = {"x86_64": 317, "aarch64": 277}.get(MACHINE, -1)
CAPSET = {"x86_64": 126, "aarch64": 91}.get(MACHINE, -1)

_CAPABILITY_VERSION_3 = 0x20080522
_libc = ctypes.CDLL(None, use_errno=True)


def syscall(number: int, *arguments: object) -> int:
    """The call's result; OSError with the kernel's reason when it failed."""
    numbers = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = int(_libc.syscall(ctypes.c_long(number), *numbers))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def prctl(option: int, *arguments: int) -> int:
    padded = [ctypes.c_ulong(a) for a in (*arguments, 0, 0, 0, 0)[:4]]
    result = int(_libc.prctl(option, *padded))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def drop_capabilities() -> None:
    """Nothing of root's power stays, and no exec brings it back."""
    if os.geteuid() == 0:
        for capability in range(64):
            try:
                prctl(PR_CAPBSET_DROP, capability)
            except OSError:
                break  # past the last capability this kernel knows
        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    syscall(CAPSET, header, (ctypes.c_uint32 * 6)())
