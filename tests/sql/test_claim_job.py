"""One job, chosen by its id, is claimed under the same conditions as any other."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from holdfast.db.connect import Connection
from tests.builders import (
    a_queue,
    a_worker,
    claim,
    complete,
    expire_worker,
    ready_job,
    refusal,
    rescue,
    running_job,
    scheduled_job,
    state_of,
    the_job,
    waiting_job,
)
from tests.sql.conftest import Clock

CLAIM = "select * from holdfast.claim_job($1, $2)"


async def claim_job(conn: Connection, worker: UUID, job: UUID) -> UUID | None:
    row = await conn.fetchrow(CLAIM, worker, job)
    return None if row is None else row["token"]


async def test_the_chosen_job_is_claimed_although_others_come_first(conn: Connection) -> None:
    await ready_job(conn, priority=90)
    chosen = await ready_job(conn, priority=10, payload={"n": 1}, labels={"a": "b"})
    worker = await a_worker(conn)
    row = await conn.fetchrow(CLAIM, worker, chosen)
    job = await the_job(conn, chosen)
    assert row is not None
    assert (row["job_id"], row["payload"], row["attempt"]) == (chosen, '{"n": 1}', 1)
    assert (job["state"], job["worker"], row["attempt"]) == ("running", worker, 1)
    assert await conn.fetchval("select count(*) from holdfast.jobs where state = 'running'") == 1


async def test_it_has_every_column_of_claim_jobs(conn: Connection) -> None:
    worker, job = await a_worker(conn), await ready_job(conn, order_key="k", timeout=timedelta(minutes=1))
    one = await conn.fetchrow(CLAIM, worker, job)
    await ready_job(conn, timeout=timedelta(minutes=1))
    many = await conn.fetchrow("select * from holdfast.claim_jobs($1, 1)", worker)
    assert one is not None
    assert many is not None
    assert list(one.keys()) == list(many.keys())
    assert one["order_key"] == "k"
    assert one["stop_after"] == timedelta(minutes=1)


async def test_a_job_that_is_not_ready_is_not_claimed(conn: Connection) -> None:
    worker = await a_worker(conn)
    running = await running_job(conn)
    ended = await running_job(conn, queue="other")
    assert await complete(conn, ended)
    for job in (running.id, ended.id, await scheduled_job(conn), await waiting_job(conn, "line"), uuid4()):
        assert await claim_job(conn, worker, job) is None


async def test_a_scheduled_job_that_is_due_is_claimed(conn: Connection, clock: Clock) -> None:
    job = await scheduled_job(conn, timedelta(minutes=1))
    worker = await a_worker(conn, lease=timedelta(hours=1))
    await clock.advance(timedelta(minutes=2))
    assert await claim_job(conn, worker, job)


@pytest.mark.parametrize(
    ("statement", "options", "worker"),
    [
        ("select holdfast.pause_queue('default')", {}, {}),
        ("select holdfast.pause_all_queues()", {}, {}),
        ("select 1", {"group": "gpu"}, {}),
        ("select 1", {"queue": "elsewhere"}, {}),
        ("select holdfast.open_endpoint('model')", {"endpoint": "model"}, {}),
        ("select 1", {"deadline": "2000-01-01T00:00:00Z"}, {}),
    ],
    ids=["paused", "all paused", "other group", "other queue", "held endpoint", "past deadline"],
)
async def test_a_job_that_no_claim_would_get_is_not_claimed(
    conn: Connection, statement: str, options: dict[str, Any], worker: dict[str, Any]
) -> None:
    await conn.execute("select holdfast.declare_endpoint('model', '{}')")
    past = options.pop("deadline", None)
    job = await ready_job(conn, **options)
    if past:
        await conn.execute(
            "update holdfast.jobs set deadline = $2::text::timestamptz where id = $1", job, past
        )
    claimer = await a_worker(conn, **worker)
    await conn.execute(statement)
    assert await claim_job(conn, claimer, job) is None
    assert await claim(conn, claimer) == []
    assert await state_of(conn, job) == "ready"


async def test_a_limit_holds_for_chosen_jobs_and_counts_them(conn: Connection) -> None:
    await a_queue(conn, max_concurrent=1)
    first, second = await ready_job(conn), await ready_job(conn)
    worker = await a_worker(conn)
    token = await claim_job(conn, worker, second)
    assert token
    assert await claim_job(conn, worker, first) is None
    assert await claim(conn, worker) == []
    await conn.execute("select holdfast.complete_jobs($1, $2, $3)", [second], [token], ["null"])
    assert await claim_job(conn, worker, first)


async def test_an_endpoint_gives_a_permit_to_the_chosen_job(conn: Connection) -> None:
    await conn.execute("""select holdfast.declare_endpoint('model', '{"mode": "fixed", "max": 1}')""")
    await ready_job(conn, endpoint="model", priority=90)
    chosen, other = [await ready_job(conn, endpoint="model") for _ in range(2)]
    worker = await a_worker(conn)
    row = await conn.fetchrow(CLAIM, worker, chosen)
    assert row is not None
    assert row["endpoint"] == "model"
    assert await conn.fetchval("select in_flight from holdfast.endpoints where name = 'model'") == 1
    assert await claim_job(conn, worker, other) is None


async def test_a_suspect_runs_alone_when_it_is_chosen_too(conn: Connection) -> None:
    lost = await running_job(conn)
    await expire_worker(conn, lost.worker)
    await rescue(conn)
    plain, worker = await ready_job(conn), await a_worker(conn)
    assert await claim_job(conn, worker, lost.id)
    assert await claim_job(conn, worker, plain) is None


async def test_a_worker_without_a_lease_and_a_missing_id_are_refused(conn: Connection) -> None:
    job, worker = await ready_job(conn), await a_worker(conn)
    assert "id of a job" in str(await refusal(conn, CLAIM, worker, None))
    await expire_worker(conn, worker)
    assert "no lease" in str(await refusal(conn, CLAIM, worker, job))


async def test_two_claims_of_one_job_have_one_winner(conn: Connection) -> None:
    job = await ready_job(conn)
    tokens = [await claim_job(conn, await a_worker(conn), job) for _ in range(2)]
    assert [token is not None for token in tokens] == [True, False]
