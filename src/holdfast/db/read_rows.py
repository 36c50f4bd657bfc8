"""Rows as plain objects: the columns of a statement are the fields of a dataclass, in their order."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints
from uuid import UUID

from asyncpg import Record

from holdfast.db.statement import Fetcher, fetch, fetch_one, fetch_row
from holdfast.model.id import JobId
from holdfast.model.job import ClaimedJob, Enqueued, ItemError, JobProgress
from holdfast.model.payload import decode
from holdfast.model.worker import LostEnd, Settled

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)
Reader = Callable[[Any], Any]


async def read_all(on: Fetcher, kind: type[T], query: str, *args: Any) -> list[T]:
    return [read(kind, row) for row in await fetch(on, query, *args)]


async def read_first(on: Fetcher, kind: type[T], query: str, *args: Any) -> T | None:
    row = await fetch_row(on, query, *args)
    return None if row is None else read(kind, row)


async def read_one(on: Fetcher, kind: type[T], query: str, *args: Any) -> T:
    """Of a verb that always returns one row."""
    return read(kind, await fetch_one(on, query, *args))


def read(kind: type[T], row: Iterable[Any]) -> T:
    fields: type = kind  # mypy holds that a type[T] has no hash
    values = zip(_readers(fields), row, strict=True)
    return kind(*[value if reader is None else reader(value) for reader, value in values])


@cache
def _readers(kind: type) -> tuple[Reader | None, ...]:
    return tuple(_reader(hint) for hint in get_type_hints(kind).values())


def _reader(hint: Any) -> Reader | None:
    """How a column becomes a field with this annotation; None if the driver's value fits as it is."""
    is_optional = isinstance(hint, UnionType)
    kind = next(one for one in get_args(hint) if one is not NoneType) if is_optional else hint
    if get_origin(kind) is dict and not is_optional:
        return _object
    if get_origin(kind) is dict or kind is Any:
        return _json
    if kind is JobProgress:
        return _progress
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return lambda value: None if value is None else kind(value)
    return None


def _json(text: str | None) -> Any:
    return None if text is None else decode(text)


def _object(text: str | None) -> Any:
    return {} if text is None else decode(text)


def _progress(text: str | None) -> JobProgress | None:
    if text is None:
        return None
    found = decode(text)
    return JobProgress(
        **{
            **found,
            "updated_at": datetime.fromisoformat(found["updated_at"]),
            "errors": tuple(ItemError(**one) for one in found["errors"]),
            "eta": None if found["eta"] is None else timedelta(seconds=float(found["eta"])),
        }
    )


async def read_results(on: Fetcher, kind: type[E], query: str, *args: Any) -> dict[JobId, E]:
    """What became of each job; the columns are the job's id and the result."""
    return {job: kind(result) for job, result in await fetch(on, query, *args)}


def settled(rows: list[Record]) -> Settled:
    """Sorts the rows of settle_and_claim: kind, the columns of claim_jobs, due_in."""
    claimed: list[ClaimedJob] = []
    notes: list[Record] = []
    for row in rows:
        if row[0] == "job":
            claimed.append(ClaimedJob(*row[1:-1]))
        else:
            notes.append(row)
    lost = [LostEnd(note["job_id"], note["token"]) for note in notes if note["kind"] == "lost"]
    due_in = next((note["due_in"] for note in notes if note["kind"] == "next"), None)
    return Settled(claimed, lost, due_in, any(note["kind"] == "lapsed" for note in notes))


def enqueued(row: Record) -> Enqueued:
    """By position, because the row may come from another driver; some return ids as text."""
    found: UUID | str = row[0]
    return Enqueued(JobId(found if isinstance(found, UUID) else UUID(found)), *row[1:])
