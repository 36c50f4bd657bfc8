"""What the handler of one attempt has logged and the worker has not sent yet; never more than its limit."""

from collections.abc import Callable
from threading import Lock
from typing import NamedTuple

# As the database counts them: the bytes of logger and message, and 32 for time and level.
LOG_LIMIT = 64 * 1024
LINE_COST = 32


class Line(NamedTuple):
    """`at`: ISO 8601, in UTC."""

    at: str
    level: str
    logger: str
    message: str

    @property
    def size(self) -> int:
        return LINE_COST + len(self.logger.encode()) + len(self.message.encode())


class AttemptLog:
    """Handlers add lines from any thread; the worker takes them."""

    __slots__ = ("_is_cut_told", "_lines", "_lock", "_on_line", "is_cut", "parts", "size")

    def __init__(self, on_line: Callable[[], None] | None = None) -> None:
        self._lines: list[Line] = []
        self._lock = Lock()
        self._on_line = on_line
        self._is_cut_told = False
        self.is_cut = False  # from here on lines are dropped
        self.parts = 0  # taken so far
        self.size = 0  # of all lines so far, those that were taken included

    def add(self, line: Line) -> None:
        with self._lock:
            if self.is_cut or self.size + line.size > LOG_LIMIT:
                self.is_cut = True
            else:
                self.size += line.size
                self._lines.append(line)
        if self._on_line is not None:
            self._on_line()

    def cut(self) -> None:
        """The handler has written more than the lines that were added."""
        with self._lock:
            self.is_cut = True

    @property
    def has_news(self) -> bool:
        return bool(self._lines) or self.is_cut is not self._is_cut_told

    def take(self) -> tuple[list[Line], bool]:
        """The lines since the last call, and whether lines that follow them were dropped."""
        with self._lock:
            lines, self._lines = self._lines, []
            self._is_cut_told = self.is_cut
            self.parts += 1
            return lines, self.is_cut
