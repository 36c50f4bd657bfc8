"""The child's side of `holdfast up`: a process drains when its parent says so, and when its parent is gone.

Only what the package itself imports is imported here.
"""

import os
import signal
from threading import Thread

CHILD = "HOLDFAST_UP_CHILD"  # set by the parent; the standard input is then a pipe from it
STOP = b"."


def drain_with_parent() -> None:
    """Even a parent that was killed closes the pipe: its children do not go on without it."""
    if os.environ.pop(CHILD, None) is None:
        return
    pipe = os.dup(0)
    _redirect(0)  # programs that a handler starts must not read it
    Thread(target=_listen, args=(pipe,), name="holdfast-parent", daemon=True).start()


def _listen(pipe: int) -> None:
    """A second word ends the grace, as a second signal does."""
    words = 0
    while os.read(pipe, 1):
        words += 1
        os.kill(os.getpid(), signal.SIGTERM)
    for stream in (1, 2):
        _redirect(stream)  # the parent was their reader: a line of the log must not fail
    if not words:
        os.kill(os.getpid(), signal.SIGTERM)


def _redirect(stream: int) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, stream)
    os.close(nowhere)
