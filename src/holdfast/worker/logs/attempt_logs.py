"""The logs of a worker's attempts: kept in memory while they run, sent in batches of all attempts.

A plain job costs nothing here. A log begins with the first line of its attempt. One statement a second at
most carries the lines of all attempts that have ended, and of those that have run for a while, so that
readers can follow them. A statement that is repeated stores nothing twice: each part has its number.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager, suppress
from datetime import timedelta
from threading import Lock
from time import monotonic
from typing import cast

from holdfast.db.logs import LogPart, lines_json, log_settings, save_logs
from holdfast.db.statement import Executor
from holdfast.model.error import DatabaseUnavailable, HoldfastError, Timeout
from holdfast.model.handler_log import LogMode
from holdfast.model.outcome import Verb
from holdfast.telemetry.attempt_log import AttemptLog
from holdfast.telemetry.emit import emit
from holdfast.telemetry.event_list import Event
from holdfast.telemetry.job_log import RunningAttempt
from holdfast.telemetry.log_capture import LogCapture
from holdfast.worker.attempt.running_attempt import Attempt

# A queue with `errors` does not keep the logs of these. A snooze is what the handler wants, not an error.
_GOOD_ENDS = frozenset({Verb.COMPLETE, Verb.ADVANCE, Verb.WAIT, Verb.SNOOZE})
# Lines of an attempt that has run for so long are sent before it ends.
LONG = 2.0
# Of JSON per statement, and in all while the database refuses them.
_MOST_SENT = 512 * 1024
_MOST_WAITING = 16 * 1024 * 1024
_LAST_SEND = timedelta(seconds=2)


class AttemptLogs:
    """Changed in the worker's event loop, except that handlers of any thread begin a log by `log_of`."""

    def __init__(self, queues: Sequence[str], running: Set[Attempt], on_news: Callable[[], None]) -> None:
        """`on_news`: called when there are lines to send, so that `send` runs soon."""
        self._queues = queues
        self._running = running
        self._on_news = on_news
        self._modes: dict[str, LogMode] = {}
        self._beginning = Lock()
        self._waiting: deque[LogPart] = deque()
        self._bytes = 0  # of the waiting parts
        self._dropped = 0

    @contextmanager
    def captured(self) -> Iterator[None]:
        """Takes the records of handlers from the root logger. Levels stay as they are."""
        capture, root = LogCapture(self.log_of), logging.getLogger()
        root.addHandler(capture)
        try:
            yield
        finally:
            root.removeHandler(capture)

    def log_of(self, running: RunningAttempt) -> AttemptLog | None:
        """None for an attempt of another worker, one that has ended, or one of a queue that keeps no logs."""
        attempt = cast(Attempt, running)
        if attempt not in self._running:
            return None
        if attempt.log is None and self._mode(attempt) is not LogMode.OFF:
            self._begin(attempt)
        return attempt.log

    def ended(self, attempt: Attempt, verb: Verb) -> None:
        """Called once for an attempt that has a log."""
        log, attempt.log = attempt.log, None
        assert log is not None
        if self._mode(attempt) is LogMode.ERRORS and verb in _GOOD_ENDS:
            if not log.parts:
                return
            self._forget(attempt)
        elif log.has_news:
            self._add(_next_part(attempt, log))
        else:
            return
        self._on_news()

    async def read_settings(self, on: Executor) -> int:
        """A maintenance task: a setting that was changed applies from then on."""
        self._modes = await log_settings(on, self._queues)
        return 0

    async def send(self, on: Executor) -> int:
        """A maintenance task: one statement for all lines that are due, as far as they fit."""
        self._tell_dropped()
        for attempt in list(self._running):
            log = attempt.log
            if log is not None and log.has_news and monotonic() - attempt.began >= LONG:
                self._add(_next_part(attempt, log))
        batch = self._take()
        if not batch:
            return 0
        try:
            await save_logs(on, batch)
        except BaseException as exc:
            if isinstance(exc, HoldfastError) and not isinstance(exc, DatabaseUnavailable | Timeout):
                self._dropped += len(batch)  # refused, and would be again
            else:
                self._put_back(batch)
            raise
        if self._waiting:
            self._on_news()  # not at once: a storm of lines must not slow the database
        return len(batch)

    async def close(self, on: Executor, within: timedelta) -> None:
        """The last lines, as long as the database takes them."""
        with suppress(HoldfastError, TimeoutError):
            async with asyncio.timeout(min(_LAST_SEND, within).total_seconds()):
                while await self.send(on):
                    pass
        self._dropped += len(self._waiting)
        self._waiting.clear()
        self._bytes = 0
        self._tell_dropped()

    def _begin(self, attempt: Attempt) -> None:
        """Two threads of a handler may write its first lines at once."""
        with self._beginning:
            if attempt.log is None:
                attempt.log = AttemptLog()

    def _mode(self, attempt: Attempt) -> LogMode:
        return self._modes.get(attempt.job.queue, LogMode.ERRORS)

    def _forget(self, attempt: Attempt) -> None:
        """What was sent of it before its end; also what a lost connection has left here."""
        self._waiting = deque(part for part in self._waiting if part.token != attempt.job.token)
        self._bytes = sum(map(_size, self._waiting))
        self._add(_part(attempt, 0, None))

    def _add(self, part: LogPart) -> None:
        self._waiting.append(part)
        self._bytes += _size(part)
        while self._bytes > _MOST_WAITING:
            self._bytes -= _size(self._waiting.popleft())
            self._dropped += 1

    def _take(self) -> list[LogPart]:
        batch: list[LogPart] = []
        size = 0
        while self._waiting and size < _MOST_SENT:
            part = self._waiting.popleft()
            batch.append(part)
            size += _size(part)
        self._bytes -= size
        return batch

    def _put_back(self, batch: list[LogPart]) -> None:
        self._waiting.extendleft(reversed(batch))
        self._bytes += sum(map(_size, batch))

    def _tell_dropped(self) -> None:
        if self._dropped:
            emit(Event.LOGS_DROPPED, count=self._dropped)
            self._dropped = 0


def _next_part(attempt: Attempt, log: AttemptLog) -> LogPart:
    number = log.parts
    lines, is_cut = log.take()
    return _part(attempt, number, lines_json(lines), is_cut=is_cut)


def _part(attempt: Attempt, number: int, lines: str | None, *, is_cut: bool = False) -> LogPart:
    job = attempt.job
    return LogPart(job.id, job.attempt, job.token, number, lines, is_cut)


def _size(part: LogPart) -> int:
    return 0 if part.lines is None else len(part.lines)
