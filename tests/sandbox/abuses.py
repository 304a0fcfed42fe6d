"""Abuses, as data: using up the machine, with the limit that should stop it, and reaching into the kernel."""

from __future__ import annotations

from sharpen.sandbox.confine import kernel
from sharpen.sandbox.confine.calls import NUMBERS

from .attempts import Escape


def _syscall(name: str, arguments: str = "0, 0, 0, 0, 0") -> Escape:
    number = NUMBERS.get(kernel.MACHINE, {}).get(name, -1)
    return Escape(f"system call {name}", f"assert not refused({number}, {arguments})")


ABUSE = [
    Escape(
        "fork without end",
        "children = []\nwhile True:\n    pid = os.fork()\n    if pid == 0: time.sleep(60); os._exit(0)",
        stopped_by="processes",
        limits={"processes": 24},
    ),
    Escape(
        "fork exponentially",
        "while True: os.fork()",
        stopped_by="processes",
        limits={"processes": 24, "seconds": 20},
    ),
    Escape(
        "start threads without end",
        "threads = [threading.Thread(target=time.sleep, args=(60,), daemon=True) for _ in range(500)]\n"
        "for t in threads: t.start()",
        stopped_by="processes",
        limits={"processes": 24},
    ),
    Escape(
        "allocate at once",
        "data = bytearray(4 << 30)\ndata[:] = b'x' * len(data)",
        stopped_by="memory",
        limits={"memory_mb": 256},
    ),
    Escape(
        "allocate bit by bit",
        "kept = []\nwhile True: kept.append(bytearray(1 << 20))",
        stopped_by="memory",
        limits={"memory_mb": 256},
    ),
    Escape("sleep on", "time.sleep(600)", stopped_by="time", limits={"seconds": 1}),
    Escape(
        "ignore the polite signals",
        "for s in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(s, signal.SIG_IGN)\n"
        "time.sleep(600)",
        stopped_by="time",
        limits={"seconds": 1},
    ),
    Escape(
        "wait for input that never ends",
        "os.close(1); signal.pause()",
        stopped_by="time",
        limits={"seconds": 1},
    ),
    Escape("compute on", "while True: pass", stopped_by="cpu", limits={"cpu_seconds": 1, "seconds": 30}),
    Escape(
        "compute on, ignoring the warning",
        "signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass",
        stopped_by="cpu",
        limits={"cpu_seconds": 1, "seconds": 30},
    ),
    Escape(
        "flood the output",
        "while True: os.write(1, b'y' * 65536)",
        stopped_by="output",
        limits={"output_bytes": 100_000},
    ),
    Escape(
        "flood the errors",
        "while True: os.write(2, b'y' * 65536)",
        stopped_by="output",
        limits={"output_bytes": 100_000},
    ),
    Escape(
        "flood both from many",
        "[subprocess.Popen(['yes']) for _ in range(4)]; subprocess.run(['yes'], stdout=2)",
        stopped_by="output",
        limits={"output_bytes": 100_000},
    ),
    Escape(
        "write a huge file",
        "with open('huge', 'wb') as f:\n    while True: f.write(b'x' * (1 << 20))",
        stopped_by="file size",
        limits={"file_mb": 4},
    ),
    Escape(
        "stretch a file",
        "open('huge', 'wb').truncate(1 << 40)",
        stopped_by="file size",
        limits={"file_mb": 4},
    ),
    Escape(
        "write a huge file with dd",
        "os.execvp('dd', ['dd', 'if=/dev/zero', 'of=huge', 'bs=1M', 'count=64'])",
        stopped_by="file size",
        limits={"file_mb": 4},
    ),
    Escape(
        "write a huge file into /tmp",
        "with open(os.environ['TMPDIR'] + '/huge', 'wb') as f:\n    while True: f.write(b'x' * (1 << 20))",
        stopped_by="file size",
        limits={"file_mb": 4},
    ),
]

KERNEL = [
    Escape("mount something", "assert libc.mount(b'none', b'/tmp', b'tmpfs', 0, None) == 0"),
    Escape("leave the user namespace", "assert libc.unshare(0x10000000) == 0"),
    Escape("new namespaces by clone", "assert subprocess.run(['unshare', '-r', 'true']).returncode == 0"),
    Escape("enter the parent's namespaces", "assert libc.setns(os.pidfd_open(parent), 0x20000) == 0"),
    Escape("change the root", "os.chroot('.')"),
    Escape("rename the machine", "socket.sethostname('escape')"),
    Escape("set the clock", "time.clock_settime(time.CLOCK_REALTIME, time.time())"),
    Escape("become somebody else", "os.setuid(os.getuid() + 1)"),
    *(
        _syscall(name)
        for name in (
            "ptrace",
            "process_vm_readv",
            "process_vm_writev",
            "bpf",
            "userfaultfd",
            "io_uring_setup",
            "keyctl",
            "add_key",
            "perf_event_open",
            "kexec_load",
            "init_module",
            "open_by_handle_at",
            "fsopen",
            "open_tree",
            "pidfd_getfd",
            "syslog",
            "clone3",
        )
    ),
]
