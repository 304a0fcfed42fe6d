"""The corpus of escapes, as data: files, network, environment and processes that are not the job's."""

from __future__ import annotations

from .abuses import ABUSE, KERNEL
from .attempts import Escape

READING = [
    Escape("read the canary", "print(open(canary).read())", bare=True),
    Escape("read /etc/shadow", "open('/etc/shadow').read()"),
    Escape(
        "list the home folder",
        "assert len(os.listdir(os.environ['REAL_HOME'])) == int(os.environ['REAL_HOME_ENTRIES'])",
        bare=True,
    ),
    Escape("list another work folder", "os.listdir(os.environ['OTHER'])", bare=True),
    Escape(
        "read through a planted link", "os.symlink(canary, 'link'); print(open('link').read())", bare=True
    ),
    Escape("read through a hard link", "os.link(canary, 'hard'); print(open('hard').read())", bare=True),
    Escape("read by going up", "print(open('../outside/canary').read())", bare=True),
    Escape("read through /proc/self/root", "print(open('/proc/self/root' + canary).read())", bare=True),
    Escape("read through /proc/1/root", "print(open('/proc/1/root' + canary).read())"),
    Escape(
        "read through the parent's root", "print(open(f'/proc/{parent}/root' + canary).read())", bare=True
    ),
    Escape("read through the parent's cwd", "os.listdir(f'/proc/{parent}/cwd')", bare=True),
    Escape("read through the parent's files", "os.listdir(f'/proc/{parent}/fd')", bare=True),
    Escape("move the canary in", "os.rename(canary, 'mine'); print(open('mine').read())"),
    Escape(
        "read the parent's environment", "assert b'SECRET' in open(f'/proc/{parent}/environ', 'rb').read()"
    ),
    Escape("inherit the environment", "print(os.environ['SHARPEN_TEST_SECRET'])"),
    Escape(
        "search every environment",
        "seen = b''\nfor p in os.listdir('/proc'):\n"
        "    try: seen += open(f'/proc/{p}/environ', 'rb').read()\n"
        "    except OSError: pass\nassert b'SHARPEN_TEST_SECRET' in seen",
    ),
    Escape(
        "inherit a descriptor",
        "found = []\nfor fd in range(3, 200):\n    try: found.append(os.fstat(fd))\n"
        "    except OSError: pass\nassert found",
    ),
    Escape("read a disk", "open('/dev/vda', 'rb').read(1) or open('/dev/sda', 'rb').read(1)"),
    Escape("read kernel memory", "open('/proc/kcore', 'rb').read(1)"),
]

WRITING = [
    Escape("write into /", "open('/sharpen-escape', 'w').write('x')"),
    Escape("write into /etc", "open('/etc/sharpen-escape', 'w').write('x')"),
    Escape("write into /usr", "open('/usr/sharpen-escape', 'w').write('x')"),
    Escape(
        "write beside the folder",
        "open('../sharpen-escape', 'w').write('x'); assert os.environ['BARE'] == '1'",
    ),
    Escape("write into the other folder", "open(os.environ['OTHER'] + '/sharpen-escape', 'w').write('x')"),
    Escape("append through a planted link", "os.symlink(canary, 'link'); open('link', 'a').write('x')"),
    Escape(
        "write through a linked folder",
        "os.symlink(outside, 'out'); open('out/sharpen-escape', 'w').write('x')",
    ),
    Escape(
        "write through /proc/self/root",
        "open('/proc/self/root' + outside + '/sharpen-escape', 'w').write('x')",
    ),
    Escape(
        "write through the parent's root",
        "open(f'/proc/{parent}/root{outside}/sharpen-escape', 'w').write('x')",
    ),
    Escape("truncate the canary", "os.truncate(canary, 0)"),
    Escape("delete the canary", "os.unlink(canary)"),
    Escape("rename the outside", "os.rename(outside, outside + '2')"),
    Escape("open up the canary's mode", "os.chmod(canary, 0o777)"),
    Escape("mode through a planted link", "os.symlink(canary, 'link'); os.chmod('link', 0o777)"),
    Escape("mode of the interpreter", "os.chmod(os.path.realpath(sys.executable), 0o777)"),
    Escape(
        "mode through a descriptor",
        "os.fchmod(os.open(os.path.realpath(sys.executable), os.O_RDONLY), 0o777)",
    ),
    Escape("turn back the canary's time", "os.utime(canary, (0, 0))"),
    Escape("give the canary away", "os.chown(canary, 1234, 1234)"),
    Escape("mark the canary", "os.setxattr(canary, 'user.escape', b'x')"),
    Escape("leave a set-user-id program", "open('tool', 'w').close(); os.chmod('tool', 0o4755)", bare=True),
    Escape(
        "make a set-user-id program",
        "os.close(os.open('tool', os.O_CREAT | os.O_WRONLY, 0o4755))\n"
        "assert os.stat('tool').st_mode & 0o4000",
        bare=True,
    ),
    Escape(
        "write a kernel setting",
        "p = '/proc/sys/kernel/core_pattern'; was = open(p).read(); open(p, 'w').write(was)",
    ),
    Escape("press the magic key", "open('/proc/sysrq-trigger', 'w').write('h')"),
    Escape("write into /sys", "os.open('/sys/kernel/uevent_helper', os.O_WRONLY)"),
    Escape(
        "leave shared memory behind",
        "open('/dev/shm/sharpen-escape', 'w').write('x'); assert os.environ['BARE'] == '1'",
    ),
    Escape(
        "leave something in /tmp",
        "open('/tmp/sharpen-escape', 'w').write('x'); assert os.environ['BARE'] == '1'",
    ),
    Escape("make a device", "os.mknod('disk', 0o60644, os.makedev(254, 0)); open('disk', 'rb').read(1)"),
]

NETWORK = [
    Escape(
        "connect by TCP",
        "socket.create_connection(('127.0.0.1', int(os.environ['TCP'])), 2).send(b'x')",
        bare=True,
    ),
    Escape(
        "connect by TCP over IPv6", "socket.create_connection(('::1', int(os.environ['TCP6'])), 2).send(b'x')"
    ),
    Escape(
        "send a datagram",
        "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', int(os.environ['UDP'])))\n"
        "assert os.environ['BARE'] == '1'",
        bare=True,
    ),
    Escape("look up a name", "socket.create_connection(('example.com', 80), 2)"),
    Escape("open a raw socket", "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)"),
    Escape("open a packet socket", "socket.socket(socket.AF_PACKET, socket.SOCK_RAW)"),
    Escape(
        "connect to a socket by path", "socket.socket(socket.AF_UNIX).connect(os.environ['UNIX'])", bare=True
    ),
    Escape(
        "connect to an abstract socket",
        "socket.socket(socket.AF_UNIX).connect('\\0' + os.environ['ABSTRACT'])",
        bare=True,
    ),
    Escape(
        "misuse a pair of sockets",
        "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b'x', os.environ['UNIX_DGRAM'])",
        bare=True,
    ),
    Escape("reach the system bus", "socket.socket(socket.AF_UNIX).connect('/run/dbus/system_bus_socket')"),
]

_SPREAD = (
    "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)', os.environ['MARK']], {how})"
)
PROCESSES = [
    Escape("signal the parent", "os.kill(parent, 0)", bare=True),
    Escape("kill the parent", "os.kill(parent, signal.SIGKILL)"),
    Escape("signal the parent's group", "os.killpg(os.getpgid(parent), 0)", bare=True),
    Escape(
        "kill its own parent",
        "was = os.getppid(); os.kill(was, signal.SIGKILL); time.sleep(0.2); assert os.getppid() != was",
    ),
    Escape(
        "signal everybody", "os.kill(-1, signal.SIGWINCH); time.sleep(0.2); assert os.environ['BARE'] == '1'"
    ),
    Escape("signal through a descriptor", "signal.pidfd_send_signal(os.pidfd_open(parent), 0)", bare=True),
    Escape("see the parent among all", "assert str(parent) in os.listdir('/proc')", bare=True),
    Escape("read the parent's command", "assert open(f'/proc/{parent}/cmdline').read()", bare=True),
    Escape("trace the parent", "assert libc.ptrace(16, parent, 0, 0) == 0"),
    Escape("starve the parent", "resource.prlimit(parent, resource.RLIMIT_NOFILE, (0, 4096))"),
    Escape("slow the parent down", "os.setpriority(os.PRIO_PROCESS, parent, 19)"),
    Escape("pin the parent", "os.sched_setaffinity(parent, {0})"),
    Escape("lift its own limit", "resource.setrlimit(resource.RLIMIT_AS, (-1, -1))"),
    Escape("leave a child", _SPREAD.format(how="") + "; assert os.environ['BARE'] == '1'"),
    Escape(
        "leave a child in its own session",
        _SPREAD.format(how="start_new_session=True") + "; assert os.environ['BARE'] == '1'",
    ),
    Escape(
        "leave a daemon",
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
        f"        {_SPREAD.format(how='stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL')}\n"
        "        os._exit(0)\n    os._exit(0)\nos.wait(); time.sleep(0.3); assert os.environ['BARE'] == '1'",
    ),
    Escape("push keys into a terminal", "import fcntl; fcntl.ioctl(0, 0x5412, b'x')"),
    Escape("dump core", "if os.fork() == 0: os.abort()\n_, status = os.wait(); assert os.WCOREDUMP(status)"),
]

ESCAPES = [*READING, *WRITING, *NETWORK, *PROCESSES, *ABUSE, *KERNEL]
