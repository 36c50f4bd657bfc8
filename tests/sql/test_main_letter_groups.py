"""main_letter_groups: the most frequent cause of open dead letters, queue by queue."""

from uuid import UUID

from holdfast.db.connect import Connection
from tests.builders import dead_job

GROUPS = "select * from holdfast.main_letter_groups($1)"
SAME = "update holdfast.dead_letters set fingerprint = $2, message = $2 where job_id = any ($1)"


async def died(conn: Connection, queue: str, fingerprint: str, count: int) -> list[UUID]:
    ids = [(await dead_job(conn, queue=queue)).id for _ in range(count)]
    await conn.execute(SAME, ids, fingerprint)
    return ids


async def test_the_largest_group_of_each_queue_is_found(conn: Connection) -> None:
    await died(conn, "mail", "many", 3)
    resolved = await died(conn, "mail", "resolved", 4)
    await conn.fetch("select holdfast.triage_dead_letters($1, 'resolved', null, 'fixed', 'Ada')", resolved)
    await died(conn, "mail", "few", 1)
    await died(conn, "other", "few", 2)
    await died(conn, "third", "few", 5)
    found = {row["queue"]: row for row in await conn.fetch(GROUPS, ["mail", "other", "none"])}
    assert {queue: (row["fingerprint"], row["letters"]) for queue, row in found.items()} == {
        "mail": ("many", 3),
        "other": ("few", 2),
    }
    assert found["mail"]["message"] == "many"
    assert found["mail"]["reason"] is not None
    oldest = "select min(died_at) from holdfast.dead_letters where queue = 'mail' and fingerprint = 'many'"
    assert found["mail"]["first_at"] == await conn.fetchval(oldest)
