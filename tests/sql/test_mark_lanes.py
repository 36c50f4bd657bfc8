"""Claims pass over what has ended, where nothing can remove its entries from the index.

A test is one transaction, so nothing of what ends in it can be removed: as if somebody held a snapshot.
"""

from datetime import timedelta
from uuid import UUID

from asyncpg import Record

from holdfast.db.connect import Connection
from tests.builders import a_queue, a_worker, claim, ready_job, ready_jobs
from tests.sql.conftest import Clock

ENDED = 3_000
COMPLETE = (
    "select holdfast.complete_jobs("
    "$1::uuid[], $2::uuid[], array_fill(null::json, array[cardinality($1::uuid[])]))"
)
WALKED = "select pg_stat_get_xact_tuples_returned('holdfast.jobs_claim'::regclass)"


async def ended_jobs(conn: Connection, worker: UUID, **options: object) -> None:
    await ready_jobs(conn, ENDED, **options)
    jobs = await claim(conn, worker, ENDED)
    await conn.execute(COMPLETE, [job.id for job in jobs], [job.token for job in jobs])


async def mark(conn: Connection) -> int:
    marked: int = await conn.fetchval("select holdfast.mark_lanes()")
    return marked


async def marks(conn: Connection) -> list[Record]:
    return await conn.fetch("select * from holdfast.lane_marks order by urgency desc")


async def walked_by_a_claim(conn: Connection, worker: UUID, n: int = 1) -> tuple[list[UUID], int]:
    before = await conn.fetchval(WALKED)
    claimed = [job.id for job in await claim(conn, worker, n)]
    return claimed, await conn.fetchval(WALKED) - before


async def test_a_claim_begins_at_the_mark(conn: Connection, clock: Clock) -> None:
    worker = await a_worker(conn)
    await ended_jobs(conn, worker)
    await clock.advance(timedelta(seconds=5))
    jobs = await ready_jobs(conn, 3)
    assert await mark(conn) == 1
    claimed, walked = await walked_by_a_claim(conn, worker)
    assert claimed == jobs[:1]
    assert walked < 10


async def test_without_a_mark_it_walks_all_that_ended(conn: Connection) -> None:
    worker = await a_worker(conn)
    await ended_jobs(conn, worker)
    (job,) = await ready_jobs(conn, 1)
    assert await walked_by_a_claim(conn, worker) == ([job], ENDED + 1)


async def test_a_lane_with_little_that_ended_gets_no_mark(conn: Connection) -> None:
    await ready_jobs(conn, ENDED)
    assert await mark(conn) == 0
    assert await marks(conn) == []


async def test_jobs_of_urgencies_without_a_mark_are_claimed_too(conn: Connection, clock: Clock) -> None:
    worker = await a_worker(conn)
    await ended_jobs(conn, worker, priority=60)
    await ended_jobs(conn, worker, priority=40)
    await clock.advance(timedelta(seconds=5))
    at_40, at_60 = await ready_job(conn, priority=40), await ready_job(conn, priority=60)
    assert await mark(conn) == 1
    assert [row["urgency"] for row in await marks(conn)] == [60, 40]
    others = {priority: await ready_job(conn, priority=priority) for priority in (90, 50, 10)}
    claimed, walked = await walked_by_a_claim(conn, worker, 5)
    assert set(claimed) == {*others.values(), at_60, at_40}
    assert walked < 20


async def test_the_most_urgent_come_first_although_others_are_marked(conn: Connection, clock: Clock) -> None:
    worker = await a_worker(conn)
    await ended_jobs(conn, worker)
    await clock.advance(timedelta(seconds=5))
    await ready_jobs(conn, 2)
    assert await mark(conn) == 1
    urgent, idle = await ready_job(conn, priority=99), await ready_job(conn, priority=1)
    order = [(await claim(conn, worker))[0].id for _ in range(4)]
    assert order[0] == urgent
    assert order[3] == idle


async def test_who_comes_late_is_found_by_the_next_look(conn: Connection, clock: Clock) -> None:
    worker = await a_worker(conn)
    await ended_jobs(conn, worker)
    await clock.advance(timedelta(seconds=5))
    await ready_job(conn)
    assert await mark(conn) == 1
    late = await ready_job(conn)
    await conn.execute(
        "update holdfast.jobs set rank_at = rank_at - interval '4 seconds' where id = $1", late
    )
    await claim(conn, worker)
    assert await claim(conn, worker) == []
    await clock.advance(timedelta(seconds=2))
    assert await mark(conn) == 1
    assert [job.id for job in await claim(conn, worker)] == [late]


async def test_a_mark_rises_between_looks(conn: Connection, clock: Clock) -> None:
    worker = await a_worker(conn)
    await ended_jobs(conn, worker)
    await ready_job(conn)
    await mark(conn)
    (first,) = await marks(conn)
    await conn.execute("update holdfast.lane_marks set walked = 1000000000")
    await claim(conn, worker)
    await clock.advance(timedelta(seconds=3))
    assert await mark(conn) == 1
    (second,) = await marks(conn)
    assert second["looked_at"] == first["looked_at"]
    assert second["rank_at"] > first["rank_at"] + timedelta(seconds=2)


async def test_a_lane_where_nothing_is_ready_keeps_its_mark_close_to_now(
    conn: Connection, clock: Clock
) -> None:
    worker = await a_worker(conn)
    await ended_jobs(conn, worker)
    await ready_job(conn)
    await mark(conn)
    await claim(conn, worker)
    await clock.advance(timedelta(seconds=5))
    assert await mark(conn) == 1
    (found,) = await marks(conn)
    assert await clock.now() - found["rank_at"] < timedelta(seconds=2)
    new = await ready_job(conn)
    assert await walked_by_a_claim(conn, worker) == ([new], 1)


async def test_a_mark_goes_when_the_walk_is_short_again(conn: Connection, clock: Clock) -> None:
    worker = await a_worker(conn)
    await ended_jobs(conn, worker)
    await ready_job(conn)
    await mark(conn)
    await conn.execute("truncate holdfast.jobs")
    await clock.advance(timedelta(seconds=2))
    assert await mark(conn) == 0
    assert await marks(conn) == []


async def test_marks_from_before_a_queue_got_ageing_hide_no_job(conn: Connection, clock: Clock) -> None:
    worker = await a_worker(conn)
    await ended_jobs(conn, worker)
    await ready_job(conn)
    assert await mark(conn) == 1
    await claim(conn, worker)
    await a_queue(conn, ageing=1)
    with_a_lead = await ready_job(conn, priority=100)
    await mark(conn)
    assert await marks(conn) == []
    assert [job.id for job in await claim(conn, worker)] == [with_a_lead]


async def test_a_queue_with_ageing_gets_no_mark(conn: Connection) -> None:
    worker = await a_worker(conn)
    await a_queue(conn, ageing=1)
    await ended_jobs(conn, worker)
    await ready_job(conn)
    assert await mark(conn) == 0
