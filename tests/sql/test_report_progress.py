"""How far jobs have come, for people; only their owner says so."""

import json
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from holdfast.db.connect import Connection
from tests.builders import (
    a_worker,
    claim,
    claim_one,
    complete,
    ready_job,
    ready_jobs,
    refusal,
    release,
    report,
    running_job,
    settle,
    to_json,
)
from tests.sql.conftest import Clock

REPORT = "select job_id, result from holdfast.report_progress($1, $2, $3::jsonb[])"
PROGRESS = "select job_id, done, total, failed, note, item from holdfast.progress_view order by job_id"
PACE = "select rate, eta from holdfast.progress_view where job_id = $1"


async def errors_of(conn: Connection) -> list[tuple[str | None, str]]:
    stored = await conn.fetchval("select errors from holdfast.progress_view")
    return [(one["item"], one["error"]) for one in json.loads(stored)]


async def test_the_latest_report_counts(conn: Connection) -> None:
    job = await running_job(conn)
    assert await report(conn, job, done=1, total=10, note="first", item="a") == "stored"
    assert await report(conn, job, done=5, total=12, failed=2, note="second", item="b") == "stored"
    (row,) = await conn.fetch(PROGRESS)
    assert tuple(row) == (job.id, 5, 12, 2, "second", "b")


async def test_one_call_stores_the_reports_of_many_jobs_and_names_the_lost_ones(conn: Connection) -> None:
    await ready_jobs(conn, 4)
    first, second, gone, stale = await claim(conn, await a_worker(conn), 4)
    await complete(conn, gone)
    jobs = [stale, second, gone, first]
    tokens = [uuid4(), second.token, gone.token, first.token]
    reports = [to_json({"done": place}) for place in range(4)]
    rows = await conn.fetch(REPORT, [job.id for job in jobs], tokens, reports)
    assert {row["job_id"]: row["result"] for row in rows} == {stale.id: "lost", gone.id: "lost"}
    found = {row["job_id"]: row["done"] for row in await conn.fetch(PROGRESS)}
    assert found == {second.id: 1, first.id: 3}


async def test_a_job_that_is_listed_twice_counts_once(conn: Connection) -> None:
    """With an outdated token beside the valid one, and with two reports of one claim: the last one counts."""
    job = await running_job(conn)
    reports = [to_json({"done": done}) for done in (9, 1, 2)]
    assert await conn.fetch(REPORT, [job.id] * 3, [uuid4(), job.token, job.token], reports) == []
    assert [row["done"] for row in await conn.fetch(PROGRESS)] == [2]


async def test_what_a_report_does_not_say_stays_as_it_was(conn: Connection) -> None:
    job = await running_job(conn)
    errors = [{"item": "a", "error": "not found"}]
    await report(conn, job, done=1, total=10, failed=2, note="first", item="a", errors=errors)
    await report(conn, job, done=5, total=None, note=None)
    (row,) = await conn.fetch(PROGRESS)
    assert tuple(row) == (job.id, 5, 10, 2, "first", "a")
    assert await errors_of(conn) == [("a", "not found")]


async def test_an_empty_text_takes_the_text_away(conn: Connection) -> None:
    job = await running_job(conn)
    await report(conn, job, done=1, total=10, note="first", item="a")
    await report(conn, job, done=2, note="", item="")
    (row,) = await conn.fetch(PROGRESS)
    assert tuple(row) == (job.id, 2, 10, 0, None, None)


async def test_texts_are_sanitised_and_bounded(conn: Connection) -> None:
    job = await running_job(conn)
    secret = "password=hunter2 " + "x" * 1000
    await report(conn, job, done=1, note=secret, item=secret, errors=[{"item": secret, "error": secret}] * 7)
    (row,) = await conn.fetch(PROGRESS)
    texts = [row["note"], row["item"], *(text for one in await errors_of(conn) for text in one)]
    assert len(texts) == 2 + 2 * 5
    for text in texts:
        assert text is not None
        assert (text[:21], len(text)) == ("password=[redacted] x", 500)


async def test_the_latest_five_errors_are_kept_and_those_of_a_later_attempt_replace_them(
    conn: Connection,
) -> None:
    job = await running_job(conn)
    await report(conn, job, done=9, errors=[{"error": f"e{number}"} for number in range(9)])
    assert await errors_of(conn) == [(None, f"e{number}") for number in range(4, 9)]
    await release(conn, job)
    again = await claim_one(conn, job.worker)
    await report(conn, again, done=9)
    assert len(await errors_of(conn)) == 5
    await report(conn, again, done=9, errors=[{"item": "b", "error": "new"}])
    assert await errors_of(conn) == [("b", "new")]


async def test_the_rate_begins_with_the_first_report_of_the_attempt(conn: Connection, clock: Clock) -> None:
    """A rate over the wait between two attempts would be far too low."""
    job = await running_job(conn)
    await report(conn, job, done=0, total=1000)
    assert tuple((await conn.fetch(PACE, job.id))[0]) == (None, None)
    await clock.advance(timedelta(seconds=100))
    await report(conn, job, done=100)
    rate, eta = (await conn.fetch(PACE, job.id))[0]
    assert rate == pytest.approx(1, rel=0.1)
    assert eta.total_seconds() == pytest.approx(900, rel=0.1)
    await clock.advance(timedelta(seconds=400))
    assert (await conn.fetch(PACE, job.id))[0]["eta"].total_seconds() == pytest.approx(500, rel=0.2)
    await release(conn, job)
    assert (await conn.fetch(PACE, job.id))[0]["eta"] is None, "it does not run"
    await clock.advance(timedelta(hours=5))
    again = await claim_one(conn, await a_worker(conn))
    await report(conn, again, done=100)
    assert tuple((await conn.fetch(PACE, job.id))[0]) == (None, None)
    await clock.advance(timedelta(seconds=10))
    await report(conn, again, done=200)
    rate, eta = (await conn.fetch(PACE, job.id))[0]
    assert rate == pytest.approx(10, rel=0.1)
    assert eta.total_seconds() == pytest.approx(80, rel=0.1)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"done": 5}, {"done": 5}),
        ({"done": 5, "total": 10}, {"done": 3}),
        ({"done": 5}, {"done": 6}),
        ({"done": 0, "total": 10**18 - 1}, {"done": 1}),
        ({"done": 0, "total": 1}, {"done": 7}),
    ],
)
async def test_rate_and_estimate_are_null_or_sensible(
    conn: Connection, clock: Clock, first: dict[str, int], second: dict[str, int]
) -> None:
    """Without news, going back, without a total, with an endless one, and beyond the total."""
    job = await running_job(conn)
    await report(conn, job, **first)
    await clock.advance(timedelta(days=1))
    await report(conn, job, **second)
    (row,) = await conn.fetch("select done, total, rate, eta from holdfast.progress_view")
    grew, has_total = second["done"] > first["done"], "total" in first
    assert (row["rate"] is None or row["rate"] > 0, row["rate"] is not None) == (True, grew)
    assert (row["eta"] is not None) == (grew and has_total)
    assert row["eta"] is None or row["eta"] >= timedelta(0)
    assert row["total"] is None or row["total"] >= row["done"]


async def test_the_job_has_its_progress_in_every_view(conn: Connection, clock: Clock) -> None:
    job = await running_job(conn)
    await report(conn, job, done=0, total=100, item="a", errors=[{"item": "a", "error": "no"}])
    await clock.advance(timedelta(seconds=10))
    await report(conn, job, done=10)
    running = json.loads(await conn.fetchval("select progress from holdfast.get_job($1)", job.id))
    assert running["eta"] == pytest.approx(90, rel=0.1)
    assert running["rate"] == pytest.approx(1, rel=0.1)
    await complete(conn, job)
    ended = json.loads(await conn.fetchval("select progress from holdfast.get_job($1)", job.id))
    assert {**ended, "rate": None, "updated_at": None} == {
        "done": 10,
        "total": 100,
        "failed": 0,
        "note": None,
        "item": "a",
        "rate": None,
        "eta": None,
        "errors": [{"item": "a", "error": "no"}],
        "updated_at": None,
    }


@pytest.mark.parametrize("verb", ["complete", "fail", "snooze", "release", "reject", "advance", "cancel"])
async def test_an_end_stores_the_last_report_with_it(conn: Connection, verb: str) -> None:
    job = await running_job(conn)
    await report(conn, job, done=1, total=9)
    progress = {"done": 9, "item": "the last", "errors": [{"error": "password=hunter2"}]}
    assert await settle(conn, job, verb, {"units": 2, "progress": progress})
    (row,) = await conn.fetch(PROGRESS)
    assert tuple(row) == (job.id, 9, 9, 0, None, "the last")
    assert await errors_of(conn) == [(None, "password=[redacted]")]


async def test_a_stage_change_with_a_report_goes_straight_on(conn: Connection) -> None:
    """The report is no option of the stage."""
    job = await running_job(conn)
    assert await settle(conn, job, "advance", {"stage": "two", "progress": {"done": 1}})
    again = await claim_one(conn, job.worker)
    assert (again.id, again.attempt) == (job.id, 2)
    assert [row["done"] for row in await conn.fetch(PROGRESS)] == [1]


async def test_an_end_with_a_stale_token_stores_no_report(conn: Connection) -> None:
    job = await running_job(conn)
    await report(conn, job, done=1)
    await release(conn, job)
    again = await claim_one(conn, job.worker)
    assert not await settle(conn, job, "complete", {"progress": {"done": 99}})
    assert [row["done"] for row in await conn.fetch(PROGRESS)] == [1]
    assert await settle(conn, again, "complete", {"progress": {"done": 2}})
    assert [row["done"] for row in await conn.fetch(PROGRESS)] == [2]


@pytest.mark.parametrize("progress", [7, "x", {"done": -1}, {"done": "many"}, {"total": 3}, None])
async def test_an_end_is_not_lost_because_of_a_bad_report(conn: Connection, progress: Any) -> None:
    job = await running_job(conn)
    assert await settle(conn, job, "complete", {"progress": progress})
    assert await conn.fetch(PROGRESS) == []


async def test_a_completion_in_a_transaction_stores_the_last_report(conn: Connection) -> None:
    job = await running_job(conn)
    await conn.execute(
        "select holdfast.complete_in_transaction($1, $2, '1', null, $3)",
        job.id,
        job.token,
        to_json({"done": 4, "total": 4}),
    )
    (row,) = await conn.fetch(PROGRESS)
    assert tuple(row) == (job.id, 4, 4, 0, None, None)


async def test_a_stale_worker_reports_nothing(conn: Connection) -> None:
    job = await running_job(conn)
    await complete(conn, job)
    assert await report(conn, job, done=1) == "lost"
    ready = await ready_job(conn)
    rows = await conn.fetch(REPORT, [ready, uuid4()], [uuid4(), uuid4()], ['{"done": 1}'] * 2)
    assert [row["result"] for row in rows] == ["lost", "lost"]
    assert await conn.fetchval("select count(*) from holdfast.progress") == 0


@pytest.mark.parametrize(
    "progress",
    [
        *({"done": -1}, {"done": None}, {}, {"done": 1.5}, {"done": 10**18}, {"done": "1"}, {"done": True}),
        *({"done": 1, "total": -1}, {"done": 2, "total": 1}, {"done": 1, "failed": -1}),
        *({"done": 1, "note": 7}, {"done": 1, "item": []}, {"done": 1, "errors": {}}),
    ],
)
async def test_bad_reports_are_refused_whole(conn: Connection, progress: dict[str, Any]) -> None:
    good, bad = await running_job(conn), await running_job(conn, queue="other")
    reports = [to_json({"done": 1}), to_json(progress)]
    refused = await refusal(conn, REPORT, [good.id, bad.id], [good.token, bad.token], reports)
    assert refused.sqlstate == "HF002"
    assert await conn.fetch(PROGRESS) == []
