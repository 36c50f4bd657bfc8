"""How a log record looks: a line for people, or one JSON object per line for programs."""

import json
import logging
import os
import textwrap
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, TextIO
from uuid import UUID

from holdfast.model.printable import printable
from holdfast.telemetry.emit import OWN, indented

_COLOURS = {
    logging.DEBUG: "2",
    logging.INFO: "36",
    logging.WARNING: "33",
    logging.ERROR: "31",
    logging.CRITICAL: "31",
}
_SHORT_ID = 12  # characters, as tables show ids; commands accept them
_NARROWEST = 40
_LONGEST_MESSAGE = 500  # characters; JSON has all of it


class LineFormatter(logging.Formatter):
    """Time, pid, level, event. A message is always one line; the lines of a traceback are indented.

    On a terminal: without the date, in colour unless NO_COLOR is set, and wrapped to its width.
    """

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._stream = stream
        self._is_terminal = stream.isatty()
        self._is_coloured = self._is_terminal and not os.environ.get("NO_COLOR")

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC).astimezone()
        time = (
            f"{moment:%H:%M:%S}" if self._is_terminal else f"{moment:%Y-%m-%d %H:%M:%S}.{record.msecs:03.0f}"
        )
        head = f"{time} {record.process} "
        text = f"{head}{record.levelname:<7} {said(record)}"
        if self._is_terminal:
            text = "\n".join(_wrapped(text, len(head) + 8, _width(self._stream)))
        if self._is_coloured:
            text = _coloured(text, len(head), record)
        return "\n".join([text, *filter(None, [trace_of(record)])])


class JsonFormatter(logging.Formatter):
    """One object per line: time (UTC), level, logger, pid, message, the event's name and all its fields."""

    def format(self, record: logging.LogRecord) -> str:
        known, (event, fields) = vars(record), event_of(record)
        document = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "pid": record.process,
            "event": event,
            "message": said(record),
            "job": known.get("job"),
            "task": known.get("task"),
            "attempt": known.get("attempt"),
            **({"traceback": _exception(record)} if event is None else fields),
        }
        told = {name: value for name, value in document.items() if value is not None}
        return json.dumps(told, default=_plain)


def event_of(record: logging.LogRecord) -> tuple[str | None, Mapping[str, Any]]:
    """Its name and fields; no name if the record is not an event of ours."""
    known = vars(record)
    return (known["event"], known["fields"]) if record.name == OWN and "fields" in known else (None, {})


def said(record: logging.LogRecord) -> str:
    """The record as one line for people."""
    known, (event, fields) = vars(record), event_of(record)
    if event is not None:
        return printable(sentence(event, fields))
    of = "" if known.get("job") is None else f" [{_subject(known)}]"
    return printable(f"{record.name}: {record.getMessage()}{of}")


def sentence(event: str, fields: Mapping[str, Any]) -> str:
    """`job failed: send_mail 3f2a91c07b55 attempt 2: ValueError: no address (mail.py:12 in send), …`"""
    words = event.replace(".", " ").replace("_", " ")
    if "attempt" not in fields:
        return ": ".join([words, " ".join(f"{name}={_short(value)}" for name, value in fields.items())])
    cause = ": ".join(_cut(str(fields[name])) for name in ("error", "because") if name in fields)
    place = f" ({fields['place']})" if "place" in fields else ""
    told = ": ".join(filter(None, [words, _subject(fields), f"{cause}{place}"]))
    return ", ".join([told, *_rest(fields)])


def _rest(fields: Mapping[str, Any]) -> Iterator[str]:
    """How long it took, and what follows."""
    if "seconds" in fields:
        yield f"after {fields['seconds']:.3g} s"
    if "reason" in fields:
        yield str(fields["reason"]).replace("_", " ")
    if "retry_at" in fields:
        yield f"retry at {fields['retry_at'].astimezone():%H:%M:%S}"
    elif "delay" in fields:
        yield f"retry in {fields['delay']:.3g} s"
    elif "next" in fields:
        yield f"next: {fields['next']}"


def trace_of(record: logging.LogRecord) -> str:
    """The lines below the first one."""
    event, fields = event_of(record)
    trace = _exception(record) if event is None else fields.get("traceback")
    return "" if trace is None else indented(str(trace))


def _subject(known: Mapping[str, Any]) -> str:
    return f"{known['task']} {_short(known['job'])} attempt {known['attempt']}"


def _exception(record: logging.LogRecord) -> str | None:
    if record.exc_info and record.exc_info[0] is not None:
        return logging.Formatter().formatException(record.exc_info)
    return record.exc_text or record.stack_info


def _short(value: object) -> str:
    return str(value)[-_SHORT_ID:] if isinstance(value, UUID) else str(value)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_MESSAGE else f"{text[:_LONGEST_MESSAGE]}…"


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _wrapped(text: str, indent: int, width: int) -> list[str]:
    return textwrap.wrap(
        text,
        max(width, _NARROWEST),
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _width(stream: TextIO) -> int:
    try:
        return int(os.environ.get("COLUMNS") or os.get_terminal_size(stream.fileno()).columns)
    except (OSError, ValueError):
        return 80


def _coloured(text: str, at: int, record: logging.LogRecord) -> str:
    """The time and pid are dim, the level has its colour, and the words stay plain."""
    level = record.levelname
    colour = _COLOURS.get(record.levelno, "0")
    return f"\x1b[2m{text[:at]}\x1b[0m\x1b[{colour}m{level}\x1b[0m{text[at + len(level) :]}"
