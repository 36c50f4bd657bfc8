"""What a handler reports of its job's progress: checked at once, so that an error is raised in its call."""

from dataclasses import dataclass
from enum import StrEnum
from operator import index
from typing import Any

from holdfast.model.error import InvalidInput
from holdfast.model.printable import text_of
from holdfast.model.storable_text import storable

TEXT_BYTES = 2000  # the database keeps 500 characters, after secrets were removed
_MOST = 10**18 - 1


@dataclass(frozen=True, slots=True)
class ProgressReport:
    """A value that is None stays as it was; an empty text removes the text. `done` includes failed items."""

    done: int
    total: int | None = None
    failed: int | None = None
    note: str | None = None
    item: str | None = None
    error: str | None = None


class NotReported(StrEnum):
    """Why a report was not stored."""

    LOST = "lost"  # another worker has the job, or it has ended
    BUSY = "busy"  # another transaction has locked the job: report again


def read_report(
    done: Any, total: Any = None, failed: Any = None, note: Any = None, item: Any = None, error: Any = None
) -> ProgressReport:
    """Raises InvalidInput for a count that is none, and for a text of another type.

    Texts are often those of other systems, such as names of files and messages of errors. So one that is too
    long, or that PostgreSQL cannot store, is cut or cleaned: it must not fail the job.
    """
    counted = _count("done", done)
    of = None if total is None else _count("total", total)
    if of is not None and counted > of:
        raise InvalidInput(
            f"done must not be more than total (got {counted} of {of}).",
            "raise the total together with done, or leave the total out",
        )
    return ProgressReport(
        counted,
        of,
        None if failed is None else _count("failed", failed),
        _text("note", note),
        _text("item", item),
        _error(error),
    )


def _count(name: str, value: Any) -> int:
    try:
        number = index(value)
    except TypeError:
        number = -1
    if not 0 <= number <= _MOST:
        raise InvalidInput(
            f"{name} must be an integer, 0 or more (got {value!r}).", "pass the number of items"
        )
    return number


def _text(name: str, value: Any) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise InvalidInput(f"{name} must be a string (got {value!r}).", f"pass {name}=str(…)")
    return storable(value, TEXT_BYTES)


def _error(value: Any) -> str | None:
    """An exception with its type, as people look for it."""
    if isinstance(value, BaseException):
        return storable(f"{type(value).__name__}: {text_of(value)}", TEXT_BYTES)
    return _text("error", value)
