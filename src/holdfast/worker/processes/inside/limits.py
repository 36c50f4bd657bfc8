"""What a child does to itself before it loads anything: niceness, memory, and not to outlive the worker."""

import ctypes
import os
import resource
import signal
import sys

PR_SET_PDEATHSIG = 1


def die_with(parent: int) -> None:
    """Linux kills it when its parent ends, even if the handler holds the interpreter's lock.

    Elsewhere it is the closed line that tells.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)  # the parent had ended before the kernel was told


def apply_limits(memory: int | None, nice: int) -> None:
    os.nice(nice)
    if memory is not None:
        resource.setrlimit(_kind(), (memory, memory))


def _kind() -> int:
    """On Linux what is written to counts; the address space would count what is only reserved, as
    threads and libraries do by the gigabyte.
    """
    return resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
