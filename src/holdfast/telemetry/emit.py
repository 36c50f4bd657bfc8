"""Events go to the logger `holdfast`; the ids are fields of the record, not only part of its text."""

import logging
from typing import Any

from holdfast.telemetry.event import Event

_logger = logging.getLogger("holdfast")


def emit(event: Event, level: int = logging.INFO, **fields: Any) -> None:
    """Log `event` with its fields; a handler finds them in record.event and record.fields."""
    if _logger.isEnabledFor(level):
        text = " ".join([event.value, *(f"{name}={value}" for name, value in fields.items())])
        _logger.log(level, "%s", text, extra={"event": event.value, "fields": fields})
