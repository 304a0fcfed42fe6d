"""The filter's program, run here by a small interpreter, so that both machines' filters are tried on any."""

from __future__ import annotations

import errno
import struct

import pytest

from sharpen.sandbox.confine import calls, seccomp

ALLOW, KILL, ASK = 0x7FFF0000, 0x80000000, 0x7FC00000
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
each_machine = pytest.mark.parametrize("machine", sorted(ARCHITECTURES))


def verdict(
    program: bytes, machine: str, number: int, *arguments: int, architecture: int | None = None
) -> int:
    six = (*arguments, *(0,) * 6)[:6]
    data = struct.pack("=iIQ6Q", number, architecture or ARCHITECTURES[machine], 0, *six)
    accumulator, place = 0, 0
    while True:
        code, if_true, if_false, value = struct.unpack_from("HBBI", program, 8 * place)
        place += 1
        if code == 0x06:
            return int(value)
        if code == 0x20:
            (accumulator,) = struct.unpack_from("=I", data, value)
        else:
            test = {0x15: accumulator == value, 0x35: accumulator >= value, 0x45: bool(accumulator & value)}[
                code
            ]
            place += if_true if test else if_false


def error(number: int) -> int:
    return 0x00050000 | number


@each_machine
def test_powerful_calls_are_refused_and_ordinary_ones_are_not(machine: str) -> None:
    program, numbers = seccomp.in_namespaces(machine), calls.NUMBERS[machine]
    refused = {name for name in numbers if verdict(program, machine, numbers[name]) == error(errno.EPERM)}
    assert refused == set(calls.POWERFUL) & set(numbers)
    for name in calls.UNREADABLE:
        assert verdict(program, machine, numbers[name]) == error(errno.ENOSYS)
    for name in ("socket", "clone", "prlimit64", "fchmodat", "openat"):
        assert verdict(program, machine, numbers[name]) == ALLOW


@each_machine
def test_flags_decide(machine: str) -> None:
    program, numbers = seccomp.in_namespaces(machine), calls.NUMBERS[machine]
    assert verdict(program, machine, numbers["clone"], 0x10000000 | 17) == error(errno.EPERM)
    assert verdict(program, machine, numbers["clone"], 0x3D0F00) == ALLOW  # a thread
    assert verdict(program, machine, numbers["ioctl"], 0, 0x5412) == error(errno.EPERM)
    assert verdict(program, machine, numbers["fchmodat"], 0, 0, 0o4755) == error(errno.EPERM)
    assert verdict(program, machine, numbers["fchmodat"], 0, 0, 0o755) == ALLOW


@each_machine
def test_on_the_host_more_is_refused(machine: str) -> None:
    program = seccomp.on_the_host(network=False, truncation=True, machine=machine)
    numbers = calls.NUMBERS[machine]
    for family in (1, 2, 10, 16, 17):
        assert verdict(program, machine, numbers["socket"], family) == error(errno.EPERM)
    assert verdict(program, machine, numbers["socketpair"], 1, 1 | 0x80000) == ALLOW
    assert verdict(program, machine, numbers["socketpair"], 1, 2) == error(errno.EPERM)
    assert verdict(program, machine, numbers["prlimit64"], 0) == ALLOW
    assert verdict(program, machine, numbers["prlimit64"], 77) == error(errno.EPERM)
    assert verdict(program, machine, numbers["setpriority"], 0, 0) == ALLOW
    assert verdict(program, machine, numbers["setpriority"], 2, 0) == error(errno.EPERM)
    assert verdict(program, machine, numbers["fchmodat"], 0, 0, 0o755) == ASK
    assert verdict(program, machine, numbers["fchownat"]) == error(errno.EPERM)
    assert verdict(program, machine, numbers["truncate"]) == ALLOW


@each_machine
def test_network_and_older_kernels(machine: str) -> None:
    program = seccomp.on_the_host(network=True, truncation=False, machine=machine)
    numbers = calls.NUMBERS[machine]
    assert verdict(program, machine, numbers["socket"], 2) == ALLOW
    assert verdict(program, machine, numbers["socket"], 1) == error(errno.EPERM)
    assert verdict(program, machine, numbers["connect"]) == ALLOW
    assert verdict(program, machine, numbers["truncate"]) == error(errno.EPERM)


def test_another_machine_s_calls_do_not_slip_through() -> None:
    program = seccomp.in_namespaces("x86_64")
    assert verdict(program, "x86_64", 1, architecture=0x40000003) == KILL
    assert verdict(program, "x86_64", 0x40000000 + 101) == error(errno.ENOSYS)
