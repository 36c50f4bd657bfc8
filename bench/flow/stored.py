"""Our controller as it is deployed: real jobs, admitted by the real claim and ended by the real verbs.

Time is that of the fake clock, moved before every call. The model of the rules goes beside it, step by step:
whatever the row and the model disagree on is a Mismatch.
"""

import json
import math
from asyncio import Runner
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, TypeVar
from uuid import UUID, uuid4

from bench.flow.controller import CallResult, Outcome, Start, Verdict
from bench.flow.job import Job
from holdfast.db.connect import Connection
from holdfast.testing import install_fake_clock
from tests.flow import model

T = TypeVar("T")

BEGINS = 1_000_000.0  # small enough that a float tells microseconds apart
CHANCES = 1000
ENQUEUE = "select job_id from bench.enqueue($1, $2, $3::json[], $4::jsonb[])"
CLAIM = "select * from bench.claim($1, $2, $3)"
SETTLE = "select * from bench.settle($1, $2, $3, $4, $5, $6, $7)"
DRAW = "select bench.draw(i / $1::double precision) from generate_series(0, $1 - 1) as i order by i"
ROW = "select * from holdfast.endpoints"
FUNCTIONS = Path(__file__).with_suffix(".sql")


class Mismatch(Exception):
    """The row and the model do not agree."""


@dataclass(frozen=True, slots=True)
class Permit:
    id: UUID
    token: UUID
    call: model.Call


class Stored:
    """One endpoint in a database of its own, which no other uses."""

    def __init__(self, runner: Runner, conn: Connection, seed: int, max_failures: int = 5) -> None:
        self.steps = 0
        self._runner = runner
        self._conn = conn
        self._random = Random(f"controller {seed}")
        self._max_failures = max_failures
        self._worker = uuid4()
        self._jobs: dict[UUID, Job] = {}
        self._known: set[int] = set()  # Python's ids of the jobs that are in the database
        self._asleep_until = 0.0
        self.endpoint = model.Endpoint(BEGINS)
        self._chances = self._run(self._prepare())
        self._agree()

    async def _prepare(self) -> list[float]:
        """The random number that the first call of random() gives after each seed."""
        clock = await install_fake_clock(self._conn)
        await clock.set(_moment(BEGINS))
        await self._conn.execute(FUNCTIONS.read_text(encoding="utf-8"))
        await self._conn.execute("select holdfast.declare_endpoint('model')")
        await self._conn.execute(
            "select holdfast.register_worker($1, array['default'], $2)",
            self._worker,
            json.dumps({"lease": 86400, "host": "bench", "pid": 1, "slots": 64}),
        )
        return [row[0] for row in await self._conn.fetch(DRAW, CHANCES)]

    def admit(self, now: float, jobs: Sequence[Job]) -> list[Start]:
        """A claim that was refused says until when; like a worker, this one then does not ask before."""
        at = _rounded(now)
        if not jobs or at < self._asleep_until:
            return []
        self._enqueue(at, [job for job in jobs if id(job) not in self._known])
        row = self._run(self._conn.fetchrow(CLAIM, _moment(at), self._worker, len(jobs)))
        assert row is not None
        claimed = list(zip(row["ids"] or [], row["tokens"] or [], strict=True))
        if not claimed and row["due_in"] is not None:
            self._asleep_until = at + row["due_in"].total_seconds()
        return self._starts(at, len(jobs), claimed)

    def _starts(self, at: float, wanted: int, claimed: Sequence[tuple[UUID, UUID]]) -> list[Start]:
        """The model admits as many, of the same estimates in the same order."""
        started = [self._jobs[job] for job, _ in claimed]
        estimates: list[float | None] = [job.estimate for job in started]
        calls = model.admit(self.endpoint, at, [*estimates, *[None] * (wanted - len(started))]).calls
        if len(calls) != len(started):
            raise Mismatch(f"at {at - BEGINS:.1f} s the claim starts {len(started)}, the model {len(calls)}")
        if started:
            self._agree()
        return [
            Start(job, Permit(*claim, call)) for job, claim, call in zip(started, claimed, calls, strict=True)
        ]

    def settle(self, now: float, start: Start, outcome: Outcome) -> Verdict:
        at, permit = _rounded(now), start.permit
        if not isinstance(permit, Permit):
            raise TypeError(f"{permit!r} is not a permit of this controller")
        chance = self._random.randrange(CHANCES)
        verb, detail = _end(start.job, outcome)
        row = self._run(
            self._conn.fetchrow(
                SETTLE, _moment(at), chance / CHANCES, self._worker, permit.id, permit.token, verb, detail
            )
        )
        self._asleep_until = 0.0
        if row is None or row["lost"]:
            raise Mismatch(f"{permit.id} is no longer held by the worker")
        counted = _told(
            self.endpoint, start.job, permit.call, at, self._chances[chance], outcome, self._max_failures
        )
        self._agree()
        if row["wait"] is None:
            return Verdict(counts=True)  # its last
        counts = row["failures"] > start.job.failures
        if outcome.answer is not CallResult.RATE_LIMITED and counts != counted:
            raise Mismatch(f"at {at - BEGINS:.1f} s the job counts {counts}, the model {counted}")
        return Verdict(counts, wait=max(0.0, row["wait"] - 1e-5))

    def _enqueue(self, at: float, jobs: Sequence[Job]) -> None:
        if not jobs:
            return
        retry = {"base": 2, "factor": 2, "cap": 60, "jitter": 0.3, "tries": self._max_failures}
        each = [json.dumps({"estimate": job.estimate}) for job in jobs]
        options = json.dumps({"endpoint": "model", "retry": retry})
        # Jobs of one call become ready a microsecond apart, and none starts before it is ready.
        moment = _moment(at - 0.001)
        rows = self._run(self._conn.fetch(ENQUEUE, moment, options, ["{}"] * len(jobs), each))
        for row, job in zip(rows, jobs, strict=True):
            self._jobs[row["job_id"]] = job
            self._known.add(id(job))

    def _agree(self) -> None:
        self.steps += 1
        row = self._run(self._conn.fetchrow(ROW))
        for name, expected in model.state(self.endpoint).items():
            if row is None or not _same(row[name], expected):
                raise Mismatch(f"step {self.steps}: {name} is {row and row[name]}, the model says {expected}")

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(work)


def _end(job: Job, outcome: Outcome) -> tuple[str, str]:
    """The verb with which a worker ends such a call, and what it says of it."""
    match outcome.answer:
        case CallResult.OK:
            return "complete", json.dumps({"units": job.units})
        case CallResult.RATE_LIMITED:
            return "fail", json.dumps({"class": "rate_limited", "retry_after": outcome.retry_after})
        case CallResult.REFUSED:
            return "fail", json.dumps({"class": "permanent", "evidence": "good"})
        case CallResult.FAILED | CallResult.TIMED_OUT:
            return "fail", json.dumps({"class": "transient", "evidence": "bad"})


def _told(
    endpoint: model.Endpoint, job: Job, call: model.Call, at: float, u: float, outcome: Outcome, most: int
) -> bool:
    """Tells the model the same; whether it counts the failure."""
    match outcome.answer:
        case CallResult.OK:
            model.on_ok(endpoint, call, at, u, job.units)
        case CallResult.RATE_LIMITED:
            model.on_rate_limited(endpoint, call, at, u, outcome.retry_after)
        case CallResult.REFUSED:
            model.on_answered(endpoint, call, at)
        case CallResult.FAILED | CallResult.TIMED_OUT:
            last_try = None if job.last_try is None else _rounded(job.last_try)
            call = replace(call, tries=job.tries, last_try=last_try)
            return model.on_fail(endpoint, call, at, u, most)
    return False


def _rounded(now: float) -> float:
    """As the database keeps it, to the microsecond."""
    return round(BEGINS + now, 6)


def _moment(at: float) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=round(at * 1e6))


def _same(found: Any, expected: Any) -> bool:
    if isinstance(expected, float) and isinstance(found, int | float):
        return math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-6)
    return bool(found == expected)
