"""Events go to the logger `holdfast` and to hooks; ids are fields of the record, not only its text."""

import logging
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from holdfast.model.printable import printable, text_of
from holdfast.telemetry import hooks
from holdfast.telemetry.event_list import Event
from holdfast.telemetry.hook_event import LogEvent

OWN = "holdfast"
_logger = logging.getLogger(OWN)
_TRACEBACK = "traceback"


def is_wanted(event: Event) -> bool:
    """Whether the log or a hook takes it; if not, the caller need not collect its fields."""
    return _logger.isEnabledFor(event.level) or hooks.hear(event)


def emit(
    event: Event, level: int | None = None, /, *, exception: BaseException | None = None, **fields: Any
) -> None:
    """Log the event; a handler finds it in record.event and record.fields. Fields that are None are left out,
    exceptions become their text.

    `level`: if it matters more or less than usual. `exception`: for hooks only, because its text may hold
    secrets.
    """
    rank = event.level if level is None else level
    is_logged, is_heard = _logger.isEnabledFor(rank), hooks.hear(event)
    if not is_logged and not is_heard:
        return
    known = {
        name: text_of(value) if isinstance(value, BaseException) else value
        for name, value in fields.items()
        if value is not None
    }
    if is_logged:
        _log(event, rank, known)
    if is_heard:
        hooks.offer(LogEvent(event.value, rank, datetime.now(UTC), MappingProxyType(known), exception))


def indented(lines: str) -> str:
    """Several lines, such as a traceback, that cannot be taken for lines of the log."""
    return "\n".join(f"    {printable(line)}" for line in lines.rstrip().splitlines())


def _log(event: Event, level: int, fields: dict[str, Any]) -> None:
    said = (f"{name}={printable(str(value))}" for name, value in fields.items() if name != _TRACEBACK)
    text = " ".join([event.value, *said])
    extra = {"event": event.value, "fields": fields}
    record = _logger.makeRecord(_logger.name, level, __file__, 0, "%s", (text,), None, func=None, extra=extra)
    if (trace := fields.get(_TRACEBACK)) is not None:
        record.exc_text = indented(str(trace))  # a standard Formatter prints it below the line
    _logger.handle(record)
