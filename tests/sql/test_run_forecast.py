"""How long a run should take, before any of its jobs has ended."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from asyncpg import Record

from holdfast.db.connect import Connection
from holdfast.db.runs import run_progress
from holdfast.model.id import RunId
from tests.builders import (
    a_worker,
    an_open_run,
    claim,
    complete,
    completed_job,
    expire_worker,
    ready_jobs,
    scheduled_job,
)

FORECAST = "select * from holdfast.run_forecast($1, $2)"
TIMES = """
insert into holdfast.end_counts (minute, queue, task, state, jobs, retried, wait_tens, run_tens)
values (date_trunc('minute', holdfast.now()), $1, 'earlier', 'completed', $2::integer, 0, '{}', $3::jsonb)
"""
# Tenths of the logarithm of milliseconds: 40 is 10 s to 12.6 s, 50 ten times as long.
SHORT, LONG = "40", "50"


async def forecast(conn: Connection, run: UUID, slots: int | None = None) -> Record:
    (row,) = await conn.fetch(FORECAST, run, slots)
    return row


async def timed(conn: Connection, queue: str = "default", **tens: int) -> None:
    """Earlier jobs of the queue, by the bucket of their run time."""
    counts = {name.removeprefix("t"): n for name, n in tens.items()}
    text = "{" + ", ".join(f'"{tenth}": {n}' for tenth, n in counts.items()) + "}"
    await conn.execute(TIMES, queue, sum(counts.values()), text)


def seconds(row: Record, *names: str) -> list[Any]:
    return [pytest.approx(row[name].total_seconds(), rel=0.15) for name in names]


async def test_jobs_left_times_usual_run_time_by_slots(conn: Connection) -> None:
    """Ninety short ones and ten long ones: a mean of 21 s, on 4 slots."""
    await timed(conn, t40=90, t50=10)
    run = await an_open_run(conn)
    await ready_jobs(conn, 100, run=run)
    await a_worker(conn, slots=3)
    await a_worker(conn, slots=1)
    row = await forecast(conn, run)
    assert (row["run"], row["jobs"], row["slots"], row["measured"]) == (run, 100, 4, 100)
    assert seconds(row, "mean", "p50", "p95") == [21.3, 12.6, 126]
    assert seconds(row, "eta", "eta_low", "eta_high") == [25 * 21.3, 25 * 12.6, 25 * 126]
    assert row["reason"] is None
    assert row["eta_low"] <= row["eta"] <= row["eta_high"]


async def test_few_jobs_on_many_slots_take_one_run_time(conn: Connection) -> None:
    await timed(conn, t40=10)
    run = await an_open_run(conn)
    await ready_jobs(conn, 3, run=run)
    await a_worker(conn, slots=50)
    row = await forecast(conn, run)
    assert row["eta"] == row["mean"]


async def test_the_progress_of_a_run_has_the_estimate_until_its_first_end(conn: Connection) -> None:
    await timed(conn, t40=10)
    run = await an_open_run(conn)
    await ready_jobs(conn, 8, run=run)
    worker = await a_worker(conn, slots=2)
    expected = await forecast(conn, run)
    before = await run_progress(conn, RunId(run))
    assert before is not None
    names = ("eta", "eta_low", "eta_high")
    assert [getattr(before, name) for name in names] == [expected[name] for name in names]
    (job,) = await claim(conn, worker, 1)
    await complete(conn, job)
    after = await run_progress(conn, RunId(run))
    assert after is not None
    assert after.eta is not None
    assert after.eta != before.eta, "by its own rate"


async def test_each_queue_counts_by_its_share_of_the_jobs(conn: Connection) -> None:
    await timed(conn, "fast", t40=500)
    await timed(conn, "slow", t50=5)
    run = await an_open_run(conn)
    await ready_jobs(conn, 30, run=run, queue="fast")
    await ready_jobs(conn, 10, run=run, queue="slow")
    row = await forecast(conn, run, 1)
    assert seconds(row, "mean") == [(30 * 11.2 + 10 * 112) / 40]


async def test_only_workers_that_may_claim_its_jobs_count(conn: Connection) -> None:
    await timed(conn, t40=10)
    run = await an_open_run(conn)
    await ready_jobs(conn, 5, run=run, group="acme")
    await a_worker(conn, ["other"], slots=50)
    await a_worker(conn, slots=50)
    lost = await a_worker(conn, slots=50, group="acme")
    await expire_worker(conn, lost)
    assert (await forecast(conn, run))["reason"] == "no worker is there for its jobs"
    await a_worker(conn, slots=2, group="acme")
    row = await forecast(conn, run)
    assert (row["slots"], row["reason"]) == (2, None)


async def test_slots_that_will_come_can_be_assumed(conn: Connection) -> None:
    await timed(conn, t40=10)
    run = await an_open_run(conn)
    await ready_jobs(conn, 100, run=run)
    row = await forecast(conn, run, 10)
    assert (row["slots"], row["eta"]) == (10, 10 * row["mean"])
    assert (await forecast(conn, run, 0))["reason"] == "no worker is there for its jobs"


async def test_without_a_known_run_time_it_says_so(conn: Connection) -> None:
    run = await an_open_run(conn)
    await ready_jobs(conn, 5, run=run, queue="mail")
    await scheduled_job(conn, run=run, queue="news")
    await a_worker(conn, ["mail"], slots=2)
    row = await forecast(conn, run)
    assert row["reason"] == "no run time of the queue mail, news is known"
    assert [row[name] for name in ("eta", "eta_low", "eta_high", "mean")] == [None] * 4
    progress = await run_progress(conn, RunId(run))
    assert progress is not None
    assert (progress.eta, progress.no_eta) == (None, row["reason"])


async def test_a_run_without_jobs_left_and_no_run_have_no_estimate(conn: Connection) -> None:
    await timed(conn, t40=10)
    run = await an_open_run(conn)
    await a_worker(conn)
    assert (await forecast(conn, run))["reason"] == "no job is left"
    await completed_job(conn, run=run)
    assert (await forecast(conn, run))["reason"] == "no job is left"
    await conn.execute("select holdfast.seal_run($1)", run)
    await conn.execute("select holdfast.close_runs()")
    assert (await forecast(conn, run))["reason"] == "the run has ended"
    assert await conn.fetch(FORECAST, uuid4(), None) == []
