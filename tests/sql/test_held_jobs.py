"""The running jobs of a worker."""

from uuid import UUID, uuid4

from holdfast.db.connect import Connection
from tests.builders import a_worker, claim, complete, ready_jobs, release


async def held(conn: Connection, worker: UUID) -> set[tuple[UUID, UUID]]:
    rows = await conn.fetch("select * from holdfast.held_jobs($1)", worker)
    return {(row["job_id"], row["token"]) for row in rows}


async def test_a_worker_holds_what_it_claimed_and_nobody_elses(conn: Connection) -> None:
    await ready_jobs(conn, 5)
    one, other = await a_worker(conn), await a_worker(conn)
    mine, theirs = await claim(conn, one, 2), await claim(conn, other, 1)
    assert await held(conn, one) == {(job.id, job.token) for job in mine}
    assert await held(conn, other) == {(job.id, job.token) for job in theirs}
    assert await held(conn, uuid4()) == set()


async def test_what_ended_or_was_given_back_is_not_held(conn: Connection) -> None:
    await ready_jobs(conn, 3)
    worker = await a_worker(conn)
    done, returned, kept = await claim(conn, worker, 3)
    await complete(conn, done)
    await release(conn, returned)
    assert await held(conn, worker) == {(kept.id, kept.token)}
