"""The worker that a continuation became."""

from datetime import timedelta
from uuid import uuid4

from holdfast.db.connect import Connection
from tests.builders import an_open_run, ready_job, ready_jobs, refusal
from tests.sql.conftest import Clock
from tests.sql.continuations import a_boxed_worker, an_asked_continuation, ask, take, the_continuation


async def test_a_successor_gets_its_row_its_lease_and_what_the_chain_knows(conn: Connection) -> None:
    run = await an_open_run(conn)
    await ready_jobs(conn, 3, run=run)
    asked = await ask(
        conn, await a_boxed_worker(conn, run=run, index=2), claim_size=7, checkpoint={"processed": 5}
    )
    me = uuid4()
    taken = await take(conn, asked["continuation"], me, lease=10)
    assert (taken["taken"], taken["index"], taken["run"], taken["claim_size"]) == (True, 3, run, 7)
    assert taken["checkpoint"] == '{"processed": 5}'
    assert timedelta(0) <= taken["starts_in"] <= timedelta(seconds=1)
    (row,) = await conn.fetch("select * from holdfast.worker_view where id = $1", me)
    assert (row["run"], row["index"], row["claim_size"], row["state"]) == (run, 3, 7, "working")
    assert row["lease_until"] == taken["lease_until"]
    assert row["box_until"] is not None
    seen = await the_continuation(conn, asked["continuation"])
    assert (seen["state"], seen["taken_by"]) == ("taken", me)


async def test_a_second_worker_that_comes_for_it_is_turned_away_and_not_registered(conn: Connection) -> None:
    await ready_job(conn)
    asked = await an_asked_continuation(conn)
    first, second = uuid4(), uuid4()
    assert (await take(conn, asked, first))["taken"] is True
    assert (await take(conn, asked, second))["taken"] is False
    assert (await take(conn, asked, first))["taken"] is True, "its own answer got lost"
    assert await conn.fetchval("select count(*) from holdfast.worker_view where id = $1", second) == 0


async def test_one_that_was_closed_is_not_taken(conn: Connection, clock: Clock) -> None:
    await ready_job(conn)
    asked = await an_asked_continuation(conn)
    await conn.execute("select holdfast.cancel_jobs(array(select id from holdfast.job_view), 'no', 'Ada')")
    await clock.advance(timedelta(minutes=5))
    await conn.execute("select holdfast.lost_continuations()")
    assert (await the_continuation(conn, asked))["state"] == "closed"
    assert (await take(conn, asked))["taken"] is False


async def test_one_that_does_not_exist_is_refused(conn: Connection) -> None:
    error = await refusal(conn, "select holdfast.take_continuation($1, $2, '{default}')", uuid4(), uuid4())
    assert error.sqlstate == "HF004"
