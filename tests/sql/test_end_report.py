"""The ends of a period and of the one before it, counted in one look."""

from collections.abc import Iterable
from datetime import timedelta

from asyncpg import Record

from holdfast.db.connect import Connection
from tests.builders import (
    cancelled_job,
    claim_one,
    complete,
    completed_job,
    dead_job,
    fail,
    rejected_job,
    running_job,
    settle,
    to_json,
)
from tests.sql.conftest import Clock
from tests.stage_builders import a_pipeline, a_stage_worker, entered_job

HOUR = timedelta(hours=1)


async def summarised(conn: Connection, clock: Clock, since: str = "1 hour", slices: int = 6) -> list[Record]:
    await conn.execute("select holdfast.summarise_ends()")
    return await conn.fetch(
        "select * from holdfast.end_report($1::text::interval, $2::integer)", since, slices
    )


def by(rows: Iterable[Record], what: str) -> dict[str, Record]:
    return {row["name"]: row for row in rows if row["by_what"] == what}


async def test_each_way_of_counting_has_the_same_sum(conn: Connection, clock: Clock) -> None:
    for queue, task in (("a", "x"), ("a", "y"), ("b", "x")):
        await completed_job(conn, queue=queue, task=task)
    await dead_job(conn, queue="b", task="y")
    await rejected_job(conn, queue="b", task="y")
    await cancelled_job(conn, queue="a", task="y")
    rows = await summarised(conn, clock)
    total = by(rows, "all")[""]
    assert [total[name] for name in ("jobs", "completed", "rejected", "cancelled", "dead")] == [6, 3, 1, 1, 1]
    for what in ("queue", "task", "slice"):
        for column in ("jobs", "completed", "dead"):
            assert sum(row[column] for row in rows if row["by_what"] == what) == total[column]
    assert {name: row["jobs"] for name, row in by(rows, "queue").items()} == {"a": 3, "b": 3}
    assert not total["is_partial"]


async def test_slices_are_numbered_from_the_oldest(conn: Connection, clock: Clock) -> None:
    await completed_job(conn)
    await conn.execute("select holdfast.summarise_ends()")
    await clock.advance(timedelta(minutes=45))
    for _ in range(2):
        await completed_job(conn)
    rows = await summarised(conn, clock)
    slices = {row["slice"]: row["jobs"] for row in rows if row["by_what"] == "slice"}
    assert slices in ({1: 1, 5: 2}, {0: 1, 5: 2}), "45 minutes before the current minute"
    assert sum(slices.values()) == 3


async def test_the_period_before_is_counted_apart(conn: Connection, clock: Clock) -> None:
    await completed_job(conn, queue="old")
    await dead_job(conn, queue="old")
    await conn.execute("select holdfast.summarise_ends()")
    await clock.advance(timedelta(minutes=70))
    await completed_job(conn, queue="new")
    rows = await summarised(conn, clock)
    assert (by(rows, "all")[""]["jobs"], by(rows, "before")[""]["jobs"]) == (1, 2)
    assert by(rows, "before")[""]["dead"] == 1
    assert [*by(rows, "queue")] == ["new"]
    await clock.advance(2 * HOUR)
    rows = await summarised(conn, clock)
    assert by(rows, "all") == by(rows, "before") == {}


async def test_a_period_can_end_earlier_than_now(conn: Connection, clock: Clock) -> None:
    await completed_job(conn, queue="then")
    await conn.execute("select holdfast.summarise_ends()")
    ended = (await clock.now()).replace(second=0, microsecond=0) + timedelta(minutes=1)
    await clock.advance(2 * HOUR)
    await completed_job(conn, queue="now")
    await conn.execute("select holdfast.summarise_ends()")
    rows = await conn.fetch("select * from holdfast.end_report('1 hour', 6, $1)", ended)
    assert [*by(rows, "queue")] == ["then"]


async def test_retries_and_percentiles_are_those_of_the_group(conn: Connection, clock: Clock) -> None:
    await completed_job(conn, queue="calm")
    job = await running_job(conn, queue="q", retry={"delays": [0]})
    await fail(conn, job)
    assert await complete(conn, await claim_one(conn, job.worker))
    rows = await summarised(conn, clock)
    found = by(rows, "queue")
    assert (found["q"]["retried"], found["q"]["retried_completed"], found["calm"]["retried"]) == (1, 1, 0)
    assert all(found[name]["run_p95"] >= found[name]["run_p50"] > timedelta(0) for name in ("q", "calm"))


async def test_a_stage_visit_counts_apart_from_the_ends_of_jobs(conn: Connection, clock: Clock) -> None:
    await a_pipeline(conn, stages=["a", "b"])
    worker = await a_stage_worker(conn)
    await entered_job(conn)
    assert await settle(conn, await claim_one(conn, worker), "advance", {"stage": "b", "units": 3})
    assert await settle(conn, await claim_one(conn, worker), "complete", {"units": 4})
    rows = await summarised(conn, clock)
    stages = {(row["pipeline"], row["name"]): row for row in rows if row["by_what"] == "stage"}
    assert {key: (row["jobs"], row["advanced"], row["units"]) for key, row in stages.items()} == {
        ("line", "a"): (0, 1, 3),
        ("line", "b"): (1, 0, 4),
    }
    total = by(rows, "all")[""]
    assert (total["jobs"], total["advanced"], total["units"]) == (1, 1, 7)
    assert all(row["wait_mean"] is not None and row["run_mean"] is not None for row in stages.values())


async def test_attempts_that_failed_are_counted_with_their_queue(conn: Connection, clock: Clock) -> None:
    await dead_job(conn, queue="q")
    job = await running_job(conn, queue="q", retry={"delays": [0]})
    await fail(conn, job)
    rows = await summarised(conn, clock)
    assert by(rows, "queue")["q"]["failed"] == by(rows, "all")[""]["failed"] == 2
    assert by(rows, "all")[""]["jobs"] == 1


async def test_calls_are_counted_by_model_and_not_as_jobs(conn: Connection, clock: Clock) -> None:
    job = await running_job(conn)
    for error in (None, "it broke"):
        call = {"kind": "model", "name": "m", "units": 5, "seconds": 2, "error": error}
        await conn.execute("select holdfast.save_call($1, $2, $3)", job.id, job.token, to_json(call))
    assert await complete(conn, job)
    rows = await summarised(conn, clock)
    model = by(rows, "model")["m"]
    assert (model["jobs"], model["failed"], model["units"]) == (2, 1, 10)
    assert model["run_mean"] == timedelta(seconds=2)
    assert by(rows, "all")[""]["jobs"] == 1


async def test_without_ends_there_is_no_row(conn: Connection, clock: Clock) -> None:
    assert await summarised(conn, clock) == []
