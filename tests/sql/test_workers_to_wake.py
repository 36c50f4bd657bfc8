"""workers_to_wake: which of the workers that wait at a server should claim."""

from datetime import timedelta
from uuid import UUID

from holdfast.db.connect import Connection
from tests.builders import a_worker, expire_worker, ready_job, ready_jobs, scheduled_job
from tests.sql.access_keys import a_key
from tests.sql.conftest import Clock


async def to_wake(conn: Connection, waiting: list[UUID], most: int = 10) -> list[UUID]:
    return [row[0] for row in await conn.fetch("select holdfast.workers_to_wake($1, $2)", waiting, most)]


async def test_as_many_are_woken_as_there_are_jobs_in_their_order(conn: Connection) -> None:
    mail = [await a_worker(conn, ["mail"]) for _ in range(4)]
    bills = await a_worker(conn, ["bills"])
    assert await to_wake(conn, [*mail, bills]) == []
    await ready_jobs(conn, 2, queue="mail")
    assert await to_wake(conn, [mail[3], *mail[:3], bills]) == [mail[3], mail[0]]
    await ready_jobs(conn, 5, queue="mail")
    assert await to_wake(conn, mail, 3) == mail[:3]
    await ready_job(conn, queue="bills")
    assert set(await to_wake(conn, [*mail, bills])) == {*mail, bills}


async def test_a_job_that_is_due_wakes_a_worker(conn: Connection, clock: Clock) -> None:
    worker = await a_worker(conn, lease=timedelta(hours=1))
    await scheduled_job(conn, timedelta(seconds=5))
    assert await to_wake(conn, [worker]) == []
    await clock.advance(timedelta(seconds=6))
    assert await to_wake(conn, [worker]) == [worker]


async def test_workers_that_could_not_claim_are_not_woken(conn: Connection) -> None:
    other_group = await a_worker(conn, group="cpu")
    draining, late, stopped = [await a_worker(conn, group="gpu") for _ in range(3)]
    await conn.execute("select holdfast.drain_workers($1, null, 'deploy', 'Ada')", [draining])
    await expire_worker(conn, late)
    await conn.execute("select holdfast.stop_worker($1)", stopped)
    await ready_jobs(conn, 5, group="gpu")
    waiting = [other_group, draining, late, stopped]
    assert await to_wake(conn, waiting) == []
    able = await a_worker(conn, group="gpu")
    assert await to_wake(conn, [*waiting, able]) == [able]
    await conn.execute("select holdfast.pause_queue('default', 'why', 'Ada')")
    assert await to_wake(conn, [able]) == []


async def test_workers_that_cannot_start_a_job_hold_up_no_others(conn: Connection) -> None:
    """A server that wakes one at a time would wake the same worker for ever."""
    crowd = [await a_worker(conn, ["mail"]) for _ in range(5)]
    others = [await a_worker(conn, ["mail"], tasks=["send"]), await a_worker(conn, ["bills"])]
    keyed = [
        await a_worker(conn, ["mail"], access_key=str(await a_key(conn, "worker", name, name)))
        for name in "ab"
    ]
    await ready_jobs(conn, 5, queue="mail")
    await ready_job(conn, queue="bills")
    woken = await to_wake(conn, [*crowd, *others, *keyed], 1)
    assert set(woken) == {crowd[0], *others, *keyed}
    assert len(woken) == 5
