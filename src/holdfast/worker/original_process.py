"""A copy of the worker's process that a handler created with os.fork() is not a worker.

The copy shares the worker's sockets, so its statements would go to the worker's sessions. It may run the rest
of its handler, and ends there.
"""

import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn


class _Lives:
    count = 0  # the number of forks between the process that loaded this module and this one
    in_copy: tuple[Callable[[], None], ...] = ()


def _note_fork() -> None:
    _Lives.count += 1
    for act in _Lives.in_copy:
        act()


os.register_at_fork(after_in_child=_note_fork)


class OriginalProcess:
    """Remembers the process that created it. As a block: a copy that leaves the block ends there."""

    __slots__ = ("_life",)

    def __init__(self) -> None:
        self._life = _Lives.count

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        self.leave_if_forked(error)

    @property
    def is_left(self) -> bool:
        """Whether this is a copy of that process."""
        return _Lives.count != self._life

    def leave_if_forked(self, error: BaseException | None = None) -> None:
        if _Lives.count != self._life:
            _end_copy(error)


@contextmanager
def done_in_copies(act: Callable[[], None]) -> Iterator[None]:
    """Inside the block, every forked copy does this first."""
    _Lives.in_copy = (*_Lives.in_copy, act)
    try:
        yield
    finally:
        _Lives.in_copy = tuple(one for one in _Lives.in_copy if one is not act)


def _end_copy(error: BaseException | None) -> NoReturn:
    """Exits as Python does for that exception, but without the exit handlers: they belong to the worker."""
    code = 0
    if isinstance(error, SystemExit):
        code = _exit_code(error.code)
    elif error is not None:
        traceback.print_exception(error)
        code = 1
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _exit_code(given: object) -> int:
    if given is None:
        return 0
    if isinstance(given, int):
        return given & 0xFF
    sys.stderr.write(f"{given}\n")
    return 1
