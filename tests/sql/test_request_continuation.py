"""A worker whose time box ends asks for its one successor."""

import json
from datetime import timedelta
from itertools import pairwise
from uuid import uuid4

from holdfast.db.connect import Connection
from tests.builders import (
    a_worker,
    an_open_run,
    claim,
    complete,
    expire_worker,
    ready_job,
    ready_jobs,
    rescue,
    scheduled_job,
)
from tests.sql.conftest import Clock
from tests.sql.continuations import a_boxed_worker, an_asked_continuation, ask, look, take, the_continuation


async def test_the_callback_is_told_all_that_the_next_worker_needs(conn: Connection, clock: Clock) -> None:
    run = await an_open_run(conn)
    await ready_jobs(conn, 3, run=run)
    worker = await a_boxed_worker(conn, run=run, group="gpu", index=6)
    asked = await ask(conn, worker, checkpoint={"processed": 40}, claim_size=2, delay=4)
    body = json.loads(asked["body"])
    assert 3 < body.pop("delay") <= 4
    assert body == {
        "continuation": str(asked["continuation"]),
        "cause": "time_box",
        "run": str(run),
        "group": "gpu",
        "queues": ["default"],
        "index": 7,
        "claim_size": 2,
        "remaining": 3,
        "checkpoint": {"processed": 40},
    }
    row = await the_continuation(conn, asked["continuation"])
    assert (row["worker"], row["state"], row["sent"]) == (worker, "sent", 1)


async def test_a_worker_has_one_successor_however_often_it_asks(conn: Connection) -> None:
    await ready_jobs(conn, 3)
    worker = await a_boxed_worker(conn)
    first, again = await ask(conn, worker), await ask(conn, worker)
    assert first["continuation"] == again["continuation"]
    await take(conn, first["continuation"])
    assert (await ask(conn, worker))["continuation"] is None


async def test_one_that_waits_for_later_is_enough_for_later_and_does_not_stand_for_one_that_is_needed_now(
    conn: Connection, clock: Clock
) -> None:
    await scheduled_job(conn, delay=timedelta(minutes=10))
    for _ in range(2):
        assert (await ask(conn, await a_boxed_worker(conn)))["continuation"] is None
    await ready_job(conn)
    asked = (await ask(conn, await a_boxed_worker(conn)))["continuation"]
    assert asked is not None
    await take(conn, asked)
    await clock.advance(timedelta(minutes=10))
    assert [body["index"] for body in await look(conn) if body["cause"] == "time_box"] == [1]


async def test_none_is_asked_for_if_nothing_is_left(conn: Connection) -> None:
    worker = await a_boxed_worker(conn)
    asked = await ask(conn, worker)
    assert (asked["continuation"], asked["remaining"]) == (None, 0)
    await conn.execute("select holdfast.stop_worker($1)", worker)
    await ready_job(conn)
    assert await look(conn) == [], "it has found that none was needed"


async def test_the_work_of_a_run_is_counted_by_itself(conn: Connection) -> None:
    run = await an_open_run(conn)
    await ready_jobs(conn, 5)
    done = await a_worker(conn, ["other"])
    await ready_job(conn, run=run, queue="other")
    asked = await ask(conn, await a_boxed_worker(conn, run=run))
    assert asked["remaining"] == 1
    (job,) = await claim(conn, done)
    await complete(conn, job)
    assert (await ask(conn, await a_boxed_worker(conn, run=run)))["continuation"] is None


async def test_many_that_end_at_once_have_one_successor_each_one_after_the_other(
    conn: Connection, clock: Clock
) -> None:
    await ready_jobs(conn, 100)
    workers = [await a_boxed_worker(conn) for _ in range(20)]
    asked = [(await ask(conn, worker, delay=1, stagger=0.1))["continuation"] for worker in workers]
    assert len({*asked}) == 20
    due = [(await the_continuation(conn, one))["due_at"] for one in asked]
    assert all(later - sooner > timedelta(milliseconds=90) for sooner, later in pairwise(due))


async def test_a_chain_ends_where_the_others_can_do_what_is_left(conn: Connection) -> None:
    await ready_jobs(conn, 10)
    workers = [await a_boxed_worker(conn) for _ in range(4)]
    asked = [(await ask(conn, worker, claim_size=5))["continuation"] for worker in workers]
    # While others live who will ask for theirs, the first two are not needed; the last two are.
    assert [one is not None for one in asked] == [False, False, True, True]


async def test_the_last_of_a_crowd_never_leaves_it_to_others(conn: Connection) -> None:
    await ready_job(conn)
    workers = [await a_boxed_worker(conn) for _ in range(3)]
    asked = [(await ask(conn, worker, claim_size=50))["continuation"] for worker in workers]
    assert [one is not None for one in asked] == [False, False, True]


async def test_workers_that_were_not_started_by_callback_do_not_count_as_others(conn: Connection) -> None:
    await ready_job(conn)
    await a_worker(conn)
    assert (await ask(conn, await a_boxed_worker(conn)))["continuation"] is not None


async def test_a_job_that_is_due_within_the_next_box_needs_a_successor(conn: Connection) -> None:
    await scheduled_job(conn, timedelta(seconds=20))
    asked = await ask(conn, await a_boxed_worker(conn), horizon=25)
    assert asked["remaining"] == 1
    assert asked["continuation"] is not None


async def test_what_is_due_much_later_is_requested_by_a_later_look(conn: Connection, clock: Clock) -> None:
    await scheduled_job(conn, timedelta(hours=1))
    worker = await a_boxed_worker(conn)
    asked = await ask(conn, worker, horizon=25)
    assert (asked["continuation"], asked["remaining"]) == (None, 0)
    assert await look(conn) == []
    await clock.advance(timedelta(hours=1, seconds=1))
    (body,) = await look(conn)
    assert (body["cause"], body["remaining"]) == ("time_box", 1)


async def test_a_worker_that_was_rescued_meanwhile_gets_none_beside_the_one_that_was_sent_for(
    conn: Connection,
) -> None:
    run = await an_open_run(conn)
    await ready_jobs(conn, 3, run=run)
    worker = await a_boxed_worker(conn, run=run)
    await claim(conn, worker, 1)
    await expire_worker(conn, worker)
    assert (await rescue(conn))["runs"] == 1
    (body,) = await look(conn)
    late = await ask(conn, worker)
    assert str(late["continuation"]) == body["continuation"], "the same one, not a second"
    assert await conn.fetchval("select count(*) from holdfast.continuation_view") == 1


async def test_a_worker_that_an_operator_drains_has_no_successor(conn: Connection) -> None:
    await ready_jobs(conn, 3)
    worker = await a_boxed_worker(conn)
    await conn.execute("select holdfast.drain_workers($1, null, 'enough', 'Ada')", [worker])
    assert (await ask(conn, worker))["continuation"] is None


async def test_nothing_follows_a_worker_that_does_not_exist(conn: Connection) -> None:
    await ready_job(conn)
    assert (await ask(conn, uuid4()))["continuation"] is None
    assert await an_asked_continuation(conn) is not None
