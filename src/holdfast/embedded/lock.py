"""Files locked by flock: the kernel releases them when their holder dies, however it dies."""

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from holdfast.embedded.embedded_error import EmbeddedError

if sys.platform != "win32":
    import fcntl

# A holder may wait 120 s for a server's recovery, and as long for its shutdown.
LOCK_LIMIT = timedelta(seconds=300)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[int]:
    """Waits for the file's lock, holds it, and yields its descriptor."""
    descriptor = open_private(path)
    try:
        _wait_for(descriptor, path)
        yield descriptor
    finally:
        os.close(descriptor)


def try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def open_private(path: Path) -> int:
    """Opens or creates a file of mode 0600, owned like its directory when root creates it.

    No link is followed: root may be working in a directory of another user.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        return os.open(path, os.O_RDWR | os.O_NOFOLLOW)
    if os.geteuid() == 0:
        owner = path.parent.stat()
        os.fchown(descriptor, owner.st_uid, owner.st_gid)
    return descriptor


def _wait_for(descriptor: int, path: Path) -> None:
    deadline = time.monotonic() + LOCK_LIMIT.total_seconds()
    while not try_lock(descriptor):
        if time.monotonic() > deadline:
            raise EmbeddedError(
                f"Another process has held {path} for {LOCK_LIMIT.total_seconds():.0f} s. "
                f"Find the process with `fuser {path}`, and end it if it hangs."
            )
        time.sleep(0.02)
