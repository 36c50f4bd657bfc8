"""What is on record after the demo: in the database, and at the model server."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from asyncpg import Record as Row

from holdfast.cli.demo.pipeline.mind import Mind, Sight
from holdfast.db.connect import Database
from holdfast.db.statement import fetch
from holdfast.model.state import State
from holdfast.testing.model_server.ledger import Ledger

# The database is the demo's own, so nothing else is in it.
ENDS = "select id, state, stage, attempt from holdfast.history"
OUTPUTS = "select job_id, visit, stage, output from holdfast.stage_outputs order by job_id, visit"
# Each attempt from its claim to its end, or to its rescue if its worker was lost: what a limit counts.
SPANS = """
select a.job_id, a.attempt, a.stage, a.started_at, a.ended_at, a.outcome in ('lost', 'forgiven') as is_lost
from holdfast.attempts as a
union all
select o.job_id, o.attempt, o.stage, o.started_at, o.ended_at, false
from holdfast.stage_outputs as o
union all
select h.id, h.attempt, h.stage, h.started_at, h.ended_at, false
from holdfast.history as h
where h.started_at is not null
  and not exists (select from holdfast.stage_outputs as o where o.job_id = h.id and o.attempt = h.attempt)
  and not exists (select from holdfast.attempts as a where a.job_id = h.id and a.attempt = h.attempt)
"""
CALLS = """
select job_id, visit, attempt, kind, name, at
from holdfast.calls
where error is null
order by job_id, generation, visit, seq
"""

Visit = tuple[str, int]
"""A job and the number of its stage visit."""


@dataclass(frozen=True, slots=True)
class End:
    job: str
    state: State
    stage: str
    attempts: int


@dataclass(frozen=True, slots=True)
class Left:
    """The output of a stage visit."""

    visit: int
    stage: str
    mark: str | None


@dataclass(frozen=True, slots=True)
class Span:
    """An attempt, while it held its place at its stage."""

    job: str
    attempt: int
    stage: str
    begin: datetime
    end: datetime
    is_lost: bool


@dataclass(frozen=True, slots=True)
class Recorded:
    """A call as the database has it. `tool` is None for an answer of the model."""

    tool: str | None
    attempt: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Served:
    """A call as the model server has it."""

    begin: datetime
    end: datetime | None


@dataclass(frozen=True, slots=True)
class Record:
    """`served`, `sights` and `marks` are the server's, by idempotency key; the rest is the database's.

    `outputs` are by job, in order of visit.
    """

    ends: tuple[End, ...]
    outputs: Mapping[str, tuple[Left, ...]]
    spans: tuple[Span, ...]
    calls: Mapping[Visit, tuple[Recorded, ...]]
    served: Mapping[str, tuple[Served, ...]]
    sights: Mapping[str, Sight]
    marks: Mapping[str, str]


async def read_record(database: Database, ledger: Ledger, begin: datetime, mind: Mind) -> Record:
    """`begin`: not later than the ledger's own beginning, from which its times count."""
    return Record(
        ends=tuple(_end(row) for row in await fetch(database, ENDS)),
        outputs=_outputs(await fetch(database, OUTPUTS)),
        spans=tuple(_span(row) for row in await fetch(database, SPANS)),
        calls=_calls(await fetch(database, CALLS)),
        served=_served(ledger, begin),
        sights=dict(mind.sights),
        marks=dict(mind.marks),
    )


def _end(row: Row) -> End:
    return End(str(row["id"]), State(row["state"]), row["stage"], row["attempt"])


def _outputs(rows: Iterable[Row]) -> dict[str, tuple[Left, ...]]:
    found: dict[str, list[Left]] = {}
    for row in rows:
        found.setdefault(str(row["job_id"]), []).append(_left(row))
    return {job: tuple(left) for job, left in found.items()}


def _left(row: Row) -> Left:
    """An output without a mark is none that the model wrote."""
    output = row["output"]
    found = json.loads(output) if isinstance(output, str) else output
    mark = found.get("mark") if isinstance(found, dict) else None
    return Left(row["visit"], row["stage"], mark)


def _span(row: Row) -> Span:
    job, attempt, stage, begin, end, is_lost = row
    return Span(str(job), attempt, stage, begin, end, is_lost)


def _calls(rows: Iterable[Row]) -> dict[Visit, tuple[Recorded, ...]]:
    found: dict[Visit, list[Recorded]] = {}
    for row in rows:
        call = Recorded(row["name"] if row["kind"] == "tool" else None, row["attempt"], row["at"])
        found.setdefault((str(row["job_id"]), row["visit"]), []).append(call)
    return {visit: tuple(calls) for visit, calls in found.items()}


def _served(ledger: Ledger, begin: datetime) -> dict[str, tuple[Served, ...]]:
    return {
        key: tuple(
            Served(begin + call.start, None if call.end is None else begin + call.end) for call in calls
        )
        for key, calls in ledger.by_key.items()
    }
