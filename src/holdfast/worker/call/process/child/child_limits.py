"""Limits that a child sets for itself before it loads anything: niceness, memory, death with the worker."""

import ctypes
import os
import resource
import signal
import sys

PR_SET_PDEATHSIG = 1

# Loaded here: a forked process must not wait for the loader's lock, which a thread of its parent may hold.
libc = ctypes.CDLL(None)


def die_with(parent: int) -> None:
    """Linux kills it when its parent ends, even if the handler holds the interpreter lock.

    Elsewhere it notices the closed connection.
    """
    if sys.platform == "linux":
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)  # the parent ended before this call


def let_forks_die_with_it() -> None:
    """Whatever the handler forks ends with it, also if this process is killed before the fork runs at all."""
    parent = os.getpid()

    def note_parent() -> None:
        nonlocal parent
        parent = os.getpid()

    os.register_at_fork(before=note_parent, after_in_child=lambda: die_with(parent))


def apply_limits(memory: int | None, nice: int) -> None:
    os.nice(nice)
    if memory is not None:
        resource.setrlimit(_kind(), (memory, memory))


def _kind() -> int:
    """On Linux, limits the writable data; the address space would include gigabytes that threads and
    libraries only reserve.
    """
    return resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
