"""The end of a worker's time box, armed before anything else is imported: a slow start counts, too.

Only what the package itself imports is imported here.
"""

import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread

from holdfast.model.duration import parse_duration
from holdfast.model.error import InvalidOption

OPTION = "--time-box"
VARIABLE = "HOLDFAST_WORKER_TIME_BOX"
NOT_IN_TIME = 7
LAST_WORDS = 0.02


class EndOfProcess:
    """A thread that ends the process with its time box, whatever the rest of it does."""

    code = NOT_IN_TIME  # 0 once nothing is left undone
    due: float | None = None  # by the monotonic clock: when a worker that has left must be gone

    def __init__(self, seconds: float, last_words: Callable[[], None] = lambda: None) -> None:
        self._seconds = seconds
        self._last_words = last_words
        Thread(target=self._end, name="holdfast-end", daemon=True).start()

    def _end(self) -> None:
        time.sleep(max(0.0, self._seconds - LAST_WORDS))
        try:
            self._last_words()
        finally:
            os._exit(EndOfProcess.code)


def arm(arguments: Sequence[str]) -> None:
    """For `holdfast worker --time-box`, by the arguments or by the environment."""
    text = _given(arguments) if "worker" in arguments else None
    with suppress(InvalidOption):  # the command line says so, when it parses the options
        if text is not None:
            EndOfProcess(parse_duration(text).total_seconds() - process_age())


def process_age() -> float:
    """Seconds since the kernel started this process: a time box counts what Python took to start, too."""
    try:
        # Behind the name, which may hold anything: the 22nd field is the start, in ticks since the boot.
        ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK"))
    except (OSError, ValueError, IndexError, AttributeError):
        return 0.0  # only Linux tells


def _given(arguments: Sequence[str]) -> str | None:
    for word, following in zip(arguments, [*arguments[1:], ""], strict=True):
        if word == OPTION:
            return following
        if word.startswith(f"{OPTION}="):
            return word.partition("=")[2]
    return os.environ.get(VARIABLE)
