"""Whoever looks finds the successors that never came, and those that nobody could ask for."""

from datetime import timedelta

from holdfast.db.connect import Connection
from tests.builders import (
    a_queue,
    a_worker,
    an_open_run,
    cancel,
    claim,
    complete,
    expire_worker,
    ready_job,
    ready_jobs,
    rescue,
)
from tests.sql.conftest import Clock
from tests.sql.continuations import a_boxed_worker, an_asked_continuation, ask, look, take, the_continuation


async def test_one_that_does_not_come_is_sent_for_again_later_each_time(
    conn: Connection, clock: Clock
) -> None:
    await ready_job(conn)
    asked = await an_asked_continuation(conn, delay=0)
    found = []
    for seconds in range(0, 200, 10):
        await clock.advance(timedelta(seconds=10))
        if await look(conn):
            found.append(seconds + 10)
    assert found == [30, 90], "30 s after it was sent, then 60 s, then 120 s"
    assert (await the_continuation(conn, asked))["sent"] == 3


async def test_one_that_came_is_not_missed(conn: Connection, clock: Clock) -> None:
    await ready_job(conn)
    await take(conn, await an_asked_continuation(conn), lease=3600)
    await clock.advance(timedelta(minutes=5))
    assert [body for body in await look(conn) if body["cause"] != "lost"] == []


async def test_a_worker_that_vanished_still_owes_its_successor(conn: Connection, clock: Clock) -> None:
    await ready_jobs(conn, 2)
    worker = await a_boxed_worker(conn, index=4, claim_size=3)
    assert await look(conn) == []
    await expire_worker(conn, worker)
    (body,) = await look(conn)
    assert (body["cause"], body["index"], body["claim_size"], body["remaining"]) == ("lost", 5, 3, 2)
    assert await look(conn) == [], "one successor each"


async def test_the_last_worker_of_all_is_missed_though_it_held_jobs(conn: Connection) -> None:
    """Nobody else is there to take them back: a timer that calls this verb is all that runs."""
    run = await an_open_run(conn)
    await ready_jobs(conn, 2, run=run)
    worker = await a_boxed_worker(conn, run=run)
    await claim(conn, worker, 2)
    assert await look(conn) == []
    await expire_worker(conn, worker)
    (body,) = await look(conn)
    assert (body["cause"], body["remaining"]) == ("rescue", 2)
    assert await look(conn) == [], "one successor"


async def test_a_worker_that_left_without_a_word_owes_one_too(conn: Connection) -> None:
    await ready_job(conn)
    worker = await a_boxed_worker(conn)
    await conn.execute("select holdfast.stop_worker($1)", worker)
    assert [body["cause"] for body in await look(conn)] == ["lost"]


async def test_workers_without_a_callback_owe_none(conn: Connection) -> None:
    await ready_job(conn)
    await expire_worker(conn, await a_worker(conn))
    await expire_worker(conn, await a_boxed_worker(conn, continues=False))
    assert await look(conn) == []


async def test_one_that_nothing_is_left_for_is_closed(conn: Connection, clock: Clock) -> None:
    job = await ready_job(conn)
    asked = await an_asked_continuation(conn)
    await cancel(conn, job)
    await clock.advance(timedelta(minutes=1))
    assert await look(conn) == []
    assert (await the_continuation(conn, asked))["state"] == "closed"


async def test_jobs_that_rest_after_a_loss_get_one_worker_when_they_are_due(
    conn: Connection, clock: Clock
) -> None:
    await a_queue(conn, rescue_delay=[600])
    run = await an_open_run(conn)
    await ready_jobs(conn, 2, run=run)
    for _ in range(2):
        worker = await a_boxed_worker(conn, run=run)
        await claim(conn, worker, 1)
        await expire_worker(conn, worker)
    assert await look(conn) == []
    await clock.advance(timedelta(minutes=8))
    assert await look(conn) == [], "nothing to do yet"
    await clock.advance(timedelta(minutes=2))
    (body,) = await look(conn)
    assert body["remaining"] == 2


async def test_one_looks_only_for_workers_like_oneself(conn: Connection) -> None:
    await ready_job(conn)
    await expire_worker(conn, await a_boxed_worker(conn, group="gpu"))
    assert await look(conn, queues=["other"]) == []
    assert await look(conn, queues=["default"], group="") == []
    assert len(await look(conn, queues=["default", "other"], group="gpu")) == 1


async def test_each_run_that_lost_jobs_gets_one_worker_for_its_recovery(conn: Connection) -> None:
    runs = [await an_open_run(conn), await an_open_run(conn)]
    for run in runs:
        await ready_jobs(conn, 4, run=run)
    workers = [await a_boxed_worker(conn) for _ in range(2)]
    for worker in workers:
        await claim(conn, worker, 4)
        await expire_worker(conn, worker)
    row = await rescue(conn)
    assert (row["recovered"], row["dead"], row["runs"]) == (8, 0, 2)
    found = await look(conn)
    assert sorted(body["run"] for body in found if body["cause"] == "rescue") == sorted(map(str, runs))
    assert await look(conn) == []


async def test_two_lost_workers_of_one_run_have_two_successors_one_of_them_for_the_recovery(
    conn: Connection,
) -> None:
    run = await an_open_run(conn)
    await ready_jobs(conn, 4, run=run)
    workers = [await a_boxed_worker(conn, run=run) for _ in range(2)]
    for worker in workers:
        await claim(conn, worker, 2)
        await expire_worker(conn, worker)
    assert (await rescue(conn))["runs"] == 1
    assert sorted(body["cause"] for body in await look(conn)) == ["lost", "rescue"]


async def test_a_rescue_among_long_lived_workers_starts_nobody(conn: Connection) -> None:
    run = await an_open_run(conn)
    await ready_job(conn, run=run)
    worker = await a_worker(conn)
    await claim(conn, worker)
    await expire_worker(conn, worker)
    assert (await rescue(conn))["runs"] == 1
    assert await look(conn) == []


async def test_an_answered_question_is_not_asked_again(conn: Connection) -> None:
    """The worker asked, was told that nothing is left, and left."""
    job = await ready_job(conn)
    worker = await a_boxed_worker(conn)
    (held,) = await claim(conn, worker)
    assert held.id == job
    await complete(conn, held)
    assert (await ask(conn, worker))["continuation"] is None
    await conn.execute("select holdfast.stop_worker($1)", worker)
    await ready_job(conn)
    assert await look(conn) == []
