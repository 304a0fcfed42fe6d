"""System calls by name, with their numbers on x86_64 and aarch64, grouped by why a job may not have them.

Numbers from 424 on are the same on both machines. A call that a machine does not have is left out there.
"""

from __future__ import annotations

_X86_64 = {
    "open": 2, "creat": 85, "openat": 257, "mknod": 133, "mknodat": 259, "mkdir": 83, "mkdirat": 258,
    "chmod": 90, "fchmod": 91, "chown": 92, "fchown": 93, "lchown": 94, "fchownat": 260, "fchmodat": 268,
    "utime": 132, "utimes": 235, "futimesat": 261, "utimensat": 280,
    "setxattr": 188, "lsetxattr": 189, "fsetxattr": 190,
    "removexattr": 197, "lremovexattr": 198, "fremovexattr": 199,
    "socket": 41, "connect": 42, "bind": 49, "listen": 50, "socketpair": 53,
    "clone": 56, "ioctl": 16, "truncate": 76,
    "shmget": 29, "semget": 64, "msgget": 68, "mq_open": 240, "mq_unlink": 241,
    "setpriority": 141, "sched_setparam": 142, "sched_setscheduler": 144, "sched_setaffinity": 203,
    "ioprio_set": 251, "prlimit64": 302, "sched_setattr": 314, "migrate_pages": 256, "move_pages": 279,
    "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312,
    "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161, "unshare": 272, "setns": 308,
    "kexec_load": 246, "kexec_file_load": 320, "init_module": 175, "finit_module": 313, "delete_module": 176,
    "bpf": 321, "perf_event_open": 298, "userfaultfd": 323, "keyctl": 250, "add_key": 248, "request_key": 249,
    "reboot": 169, "swapon": 167, "swapoff": 168, "settimeofday": 164, "clock_settime": 227, "adjtimex": 159,
    "clock_adjtime": 305, "sethostname": 170, "setdomainname": 171, "acct": 163, "quotactl": 179,
    "syslog": 103,
    "open_by_handle_at": 304, "name_to_handle_at": 303, "iopl": 172, "ioperm": 173, "modify_ldt": 154,
    "fanotify_init": 300, "vhangup": 153, "uselib": 134,
}  # fmt: skip

_AARCH64 = {
    "openat": 56, "mknodat": 33, "mkdirat": 34,
    "fchmod": 52, "fchmodat": 53, "fchownat": 54, "fchown": 55, "utimensat": 88,
    "setxattr": 5, "lsetxattr": 6, "fsetxattr": 7, "removexattr": 14, "lremovexattr": 15, "fremovexattr": 16,
    "socket": 198, "socketpair": 199, "bind": 200, "listen": 201, "connect": 203,
    "clone": 220, "ioctl": 29, "truncate": 45,
    "shmget": 194, "semget": 190, "msgget": 186, "mq_open": 180, "mq_unlink": 181,
    "setpriority": 140, "sched_setparam": 118, "sched_setscheduler": 119, "sched_setaffinity": 122,
    "ioprio_set": 30, "prlimit64": 261, "sched_setattr": 274, "migrate_pages": 238, "move_pages": 239,
    "ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271, "kcmp": 272,
    "mount": 40, "umount2": 39, "pivot_root": 41, "chroot": 51, "unshare": 97, "setns": 268,
    "kexec_load": 104, "kexec_file_load": 294, "init_module": 105, "finit_module": 273, "delete_module": 106,
    "bpf": 280, "perf_event_open": 241, "userfaultfd": 282, "keyctl": 219, "add_key": 217, "request_key": 218,
    "reboot": 142, "swapon": 224, "swapoff": 225, "settimeofday": 170, "clock_settime": 112, "adjtimex": 171,
    "clock_adjtime": 266, "sethostname": 161, "setdomainname": 162, "acct": 89, "quotactl": 60, "syslog": 116,
    "open_by_handle_at": 265, "name_to_handle_at": 264, "fanotify_init": 262, "vhangup": 58,
}  # fmt: skip

_COMMON = {
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428,
    "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433, "clone3": 435,
    "openat2": 437, "pidfd_getfd": 438,
    "process_madvise": 440, "mount_setattr": 442, "quotactl_fd": 443, "process_mrelease": 448,
    "fchmodat2": 452,
    "setxattrat": 463, "removexattrat": 466, "open_tree_attr": 467, "file_setattr": 469,
}  # fmt: skip

NUMBERS = {"x86_64": _X86_64 | _COMMON, "aarch64": _AARCH64 | _COMMON}

# Reaching into the kernel, into other processes, or into how the machine is set up.
POWERFUL = (
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "kcmp",
    "pidfd_getfd", "mount", "umount2", "pivot_root", "chroot", "unshare", "setns", "open_tree",
    "open_tree_attr", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr",
    "open_by_handle_at", "name_to_handle_at", "kexec_load", "kexec_file_load", "init_module",
    "finit_module", "delete_module", "bpf", "perf_event_open", "userfaultfd", "io_uring_setup",
    "io_uring_enter", "io_uring_register", "keyctl", "add_key", "request_key", "reboot", "swapon",
    "swapoff", "settimeofday", "clock_settime", "adjtimex", "clock_adjtime", "sethostname",
    "setdomainname", "acct", "quotactl", "quotactl_fd", "syslog", "iopl", "ioperm", "modify_ldt",
    "fanotify_init", "vhangup", "uselib",
)  # fmt: skip

# The argument that holds a file's mode, by position: nothing with the owner's rights may be left behind.
MODES = {
    "open": 2, "creat": 1, "openat": 3, "mknod": 1, "mknodat": 2, "mkdir": 1, "mkdirat": 2,
    "chmod": 1, "fchmod": 1, "fchmodat": 2, "fchmodat2": 2,
}  # fmt: skip

# Their flags lie in memory, out of a filter's sight; callers then fall back to clone and openat.
UNREADABLE = ("clone3", "openat2")

# Shared with the host where there are no namespaces.
SHARED = ("shmget", "semget", "msgget", "mq_open", "mq_unlink", "migrate_pages", "move_pages")

# Without a network there is nobody to talk to; pairs of connected sockets stay.
TALKING = ("connect", "bind", "listen")

# Take a process id first; only 0, the caller itself, is harmless without a process namespace.
OF_A_PROCESS = ("sched_setparam", "sched_setscheduler", "sched_setaffinity", "sched_setattr", "prlimit64")

# Landlock does not look at owner, mode, times and attributes. A mode or a time may be changed where writing
# is allowed (metadata.py does it for the job), an owner or an attribute nowhere.
ANSWERED = ("chmod", "fchmod", "fchmodat", "fchmodat2", "utimensat")
OWNERS = ("chown", "fchown", "lchown", "fchownat", "utime", "utimes", "futimesat", "file_setattr")
ATTRIBUTES = (
    "setxattr", "lsetxattr", "fsetxattr", "setxattrat",
    "removexattr", "lremovexattr", "fremovexattr", "removexattrat",
)  # fmt: skip
