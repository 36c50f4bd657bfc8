"""What a handler in a child logs. A thread sends it: a busy worker must not delay the handler."""

import logging
from contextlib import suppress
from threading import Event, Lock, Thread

from holdfast.telemetry.attempt_log import AttemptLog
from holdfast.telemetry.job_log import RunningAttempt
from holdfast.telemetry.log_capture import LogCapture
from holdfast.worker.attempt.running_attempt import Attempt
from holdfast.worker.call.process.child.parent_connection import ParentConnection


class ChildLog:
    """One per process. Lines are sent at once, so that they are kept even if the process is killed."""

    def __init__(self, worker: ParentConnection) -> None:
        self._worker = worker
        self._attempt: Attempt | None = None
        self._news = Event()
        self._sending = Lock()
        logging.getLogger().addHandler(LogCapture(self._log_of))
        Thread(target=self._send_for_ever, name="holdfast-log", daemon=True).start()

    def begin(self, attempt: Attempt, *, is_kept: bool) -> None:
        attempt.log = AttemptLog(self._news.set) if is_kept else None
        self._attempt = attempt

    def end(self) -> None:
        """Sends the last lines, before the end of the attempt is sent."""
        self._send()
        self._attempt = None

    def _log_of(self, running: RunningAttempt) -> AttemptLog | None:
        """None for a thread that an earlier attempt left behind."""
        attempt = self._attempt
        return attempt.log if attempt is not None and running is attempt else None

    def _send_for_ever(self) -> None:
        with suppress(OSError):  # the worker is gone, and this process ends
            while True:
                self._news.wait()
                self._news.clear()
                self._send()

    def _send(self) -> None:
        with self._sending:
            log = None if self._attempt is None else self._attempt.log
            if log is not None and log.has_news:
                lines, is_cut = log.take()
                self._worker.send({"log": lines, "is_cut": is_cut})
