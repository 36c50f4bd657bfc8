"""How many dead letters of each queue are open."""

from holdfast.db import dead
from holdfast.db.connect import Connection
from holdfast.model.dead_letter import Triage
from holdfast.model.id import JobId
from tests.builders import dead_job, refusal, replay

LETTERS = "select queue, letters from holdfast.open_letters()"


async def letters(conn: Connection) -> dict[str, int]:
    return {row["queue"]: row["letters"] for row in await conn.fetch(LETTERS)}


async def test_open_letters_are_counted_by_queue(conn: Connection) -> None:
    assert await letters(conn) == {}
    for queue in ("b", "a", "a", "c"):
        await dead_job(conn, queue=queue)
    assert await letters(conn) == {"a": 2, "b": 1, "c": 1}
    assert await conn.fetchval("select count(*) from holdfast.open_letters(2)") == 2


async def test_letters_that_were_triaged_or_replayed_are_not_open(conn: Connection) -> None:
    first, second, _ = [await dead_job(conn) for _ in range(3)]
    await dead.triage_letters(conn, [JobId(first.id)], Triage.INVESTIGATING, None, None, "Ada")
    await replay(conn, second.id)
    assert await letters(conn) == {"default": 1}


async def test_a_negative_number_of_queues_is_refused(conn: Connection) -> None:
    assert "max" in str(await refusal(conn, "select * from holdfast.open_letters(-1)"))
