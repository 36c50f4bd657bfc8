"""Keeps what handlers write with `logging`, each line with its attempt."""

import logging
from collections.abc import Callable
from datetime import UTC, datetime

from holdfast.model.storable_text import ERROR_TEXT_BYTES, storable, storable_tail
from holdfast.telemetry.attempt_log import AttemptLog, Line
from holdfast.telemetry.emit import OWN
from holdfast.telemetry.job_log import RunningAttempt, running_attempt

# The database cuts a text after 8 KiB. Leaves room for the words that say so, twice.
_LONGEST = ERROR_TEXT_BYTES - 32
# With an exception: the beginning of the message, and the end of the traceback.
_LONGEST_MESSAGE = _LONGEST // 4
_LONGEST_NAME = 200


class LogCapture(logging.Handler):
    """Installed on the root logger. Records outside an attempt, and those of Holdfast itself, are not kept.

    It takes no lock while it formats a record, whose arguments may log themselves, and never raises.
    """

    def __init__(self, log_of: Callable[[RunningAttempt], AttemptLog | None]) -> None:
        """`log_of`: where the lines of an attempt go, called in any thread; None: they are not wanted."""
        super().__init__()
        self._log_of = log_of

    def handle(self, record: logging.LogRecord) -> bool:
        """Without the lock of logging.Handler, for which the handlers of all jobs would wait."""
        try:
            self.emit(record)
        except Exception:
            self.handleError(record)  # logging says so on stderr
        last = logging.lastResort
        if last is not None and record.levelno >= last.level and _is_unhandled(record):
            last.handle(record)
        return True

    def emit(self, record: logging.LogRecord) -> None:
        attempt = running_attempt.get()
        if attempt is None or _is_own(record.name):
            return
        log = self._log_of(attempt)
        if log is not None and not log.is_cut:
            log.add(line_of(record))


def line_of(record: logging.LogRecord) -> Line:
    moment = datetime.fromtimestamp(record.created, UTC)
    return Line(
        moment.isoformat(timespec="milliseconds"),
        storable(str(record.levelname), 20),
        storable(str(record.name), _LONGEST_NAME),
        _text(record),
    )


def _text(record: logging.LogRecord) -> str:
    trace = _trace(record)
    if trace is None:
        return storable(_message(record), _LONGEST)
    message = storable(_message(record), _LONGEST_MESSAGE)
    return f"{message}\n{storable_tail(trace.rstrip(), _LONGEST - len(message.encode()))}"


def _message(record: logging.LogRecord) -> str:
    """A record whose arguments do not fit its text is kept with the text alone."""
    try:
        return record.getMessage()
    except Exception as exc:
        return f"{_template(record)} (its arguments raised {type(exc).__name__})"


def _template(record: logging.LogRecord) -> str:
    return record.msg if isinstance(record.msg, str) else f"a {type(record.msg).__name__}"


def _trace(record: logging.LogRecord) -> str | None:
    """Of `logger.exception`, or of `exc_info` or `stack_info`."""
    try:
        if record.exc_info and record.exc_info[0] is not None:
            return logging.Formatter().formatException(record.exc_info)
    except Exception as exc:
        return f"(the traceback raised {type(exc).__name__})"
    return record.exc_text or record.stack_info


def _is_own(name: str) -> bool:
    return name == OWN or name.startswith(f"{OWN}.")


def _is_unhandled(record: logging.LogRecord) -> bool:
    """Whether no other handler takes it: then logging itself would write warnings to stderr, if the root
    logger did not have this handler.
    """
    logger: logging.Logger | None = logging.getLogger(record.name)
    while logger is not None:
        if any(not isinstance(one, LogCapture) for one in logger.handlers):
            return False
        logger = logger.parent if logger.propagate else None
    return True
