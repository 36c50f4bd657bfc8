"""Workers whose time boxes end at the same moment, and the successors that they request."""

from asyncpg import Record

from holdfast.db.connect import Connection
from tests.builders import ready_job
from tests.race.crowd import Crowd
from tests.sql.continuations import a_boxed_worker, ask


async def test_of_two_equal_workers_that_end_at_once_one_has_a_successor(crowd: Crowd) -> None:
    """Without a lock each would count the other as the one that goes on, and the job would wait for ever."""
    await ready_job(crowd.watcher)
    one, other = [await a_boxed_worker(crowd.watcher) for _ in range(2)]

    async def end_one(conn: Connection) -> Record:
        return await ask(conn, one, claim_size=50)

    async def end_other(conn: Connection) -> Record:
        return await ask(conn, other, claim_size=50)

    asked = await crowd.interleave(end_one, end_other, commit=True)
    assert [row["continuation"] is not None for row in asked] == [False, True]
