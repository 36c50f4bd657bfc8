"""What is on record after the work: in the database, read by SQL, and at the two model servers."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from asyncpg import Record as Row

from examples.posts_pipeline.model import Models
from holdfast.db.connect import Database
from holdfast.testing.model_server import Call, Ledger

# Every attempt from its claim to its end, or to its rescue if its worker was killed: what a limit counts.
SPANS = """
with spans as (
  select job_id, attempt, stage, started_at, ended_at from holdfast.attempts
  union all
  select job_id, attempt, stage, started_at, ended_at from holdfast.stage_outputs
  union all
  select id, attempt, stage, started_at, ended_at from holdfast.history where state = 'rejected'
)
"""
# How many jobs held a place of each stage at once, at most.
LEASED = f"""
{SPANS}, steps as (
  select stage, started_at as at, 1 as change from spans
  union all
  select stage, ended_at, -1 from spans
), held as (
  select stage, sum(change) over (partition by stage order by at, change rows unbounded preceding) as jobs
  from steps
)
select stage, max(jobs)::integer from held group by stage
"""
# Every attempt that did not succeed, with the start of the next one.
ATTEMPTS = f"""
{SPANS}
select a.job_id::text, a.visit, a.outcome, a.class, a.started_at, a.ended_at, a.retry_at, next.started_at
from holdfast.attempts as a
left join spans as next on next.job_id = a.job_id and next.attempt = a.attempt + 1
order by a.job_id, a.attempt
"""
ENDS = "select id::text, state, stage, attempt from holdfast.job_view where ended_at is not null"
COUNT = f"{SPANS} select count(*) from spans"
LETTERS = "select job_id::text from holdfast.dead_letter_view"
OUTPUTS = "select job_id::text, visit, stage, output from holdfast.stage_outputs order by job_id, visit"
ANSWERS = """
select job_id::text, visit, count(*)
from holdfast.call_view
where kind = 'model' and error is null
group by job_id, visit
"""

Visit = tuple[str, int]
"""A job, and the number of its stage visit."""


@dataclass(frozen=True, slots=True)
class End:
    job: str
    state: str
    stage: str
    attempts: int


@dataclass(frozen=True, slots=True)
class Output:
    job: str
    number: int
    stage: str
    value: Any

    @property
    def visit(self) -> Visit:
        return self.job, self.number


@dataclass(frozen=True, slots=True)
class Attempt:
    """One that did not succeed."""

    visit: Visit
    outcome: str
    error_class: str | None
    started_at: datetime
    ended_at: datetime
    retry_at: datetime | None
    next_start: datetime | None


@dataclass(frozen=True, slots=True)
class Record:
    """What the database has, then what the servers have.

    `answers` counts the replies that it saved. `leased` is how many jobs of a stage ran at once, at most, and
    `spans` of how many attempts this was computed.
    """

    ends: list[End]
    letters: list[str]
    outputs: list[Output]
    attempts: list[Attempt]
    answers: Counter[Visit]
    leased: dict[str, int]
    spans: int
    calls: list[Call]
    models: Models

    @property
    def lost(self) -> Counter[Visit]:
        """Attempts of each stage visit whose worker was killed."""
        return Counter(one.visit for one in self.attempts if one.outcome in ("lost", "forgiven"))

    def handled(self, error_class: str) -> Counter[Visit]:
        """Attempts of each stage visit that ended with an error of this class."""
        return Counter(one.visit for one in self.attempts if one.error_class == error_class)

    def served(self, status: int) -> Counter[Visit]:
        """Calls of each stage visit that the servers answered with this HTTP status."""
        return Counter(visit_of(call.key) for call in self.calls if call.status == status)


async def read_record(database: Database, ledgers: Iterable[Ledger], models: Models) -> Record:
    return Record(
        ends=[End(*row) for row in await database.fetch(ENDS)],
        letters=[job for (job,) in await database.fetch(LETTERS)],
        outputs=[_output(row) for row in await database.fetch(OUTPUTS)],
        attempts=[Attempt((job, visit), *rest) for job, visit, *rest in await database.fetch(ATTEMPTS)],
        answers=Counter({(job, visit): count for job, visit, count in await database.fetch(ANSWERS)}),
        leased={row[0]: row[1] for row in await database.fetch(LEASED)},
        spans=(await database.fetch(COUNT))[0][0],
        calls=[call for ledger in ledgers for call in ledger],
        models=models,
    )


def visit_of(key: str | None) -> Visit:
    """An idempotency key names installation, job, generation, visit and step."""
    _, job, _, visit, _ = (key or "").split(":")
    return job, int(visit)


def _output(row: Row) -> Output:
    job, visit, stage, output = row
    return Output(job, visit, stage, json.loads(output))
