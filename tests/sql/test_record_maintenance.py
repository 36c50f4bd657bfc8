"""When a maintenance task last succeeded is known, and costs next to nothing to know."""

from datetime import timedelta

from holdfast.db.connect import Connection
from tests.sql.conftest import Clock

LAST = "select succeeded_at from holdfast.maintenance_view where name = $1"


async def test_the_last_success_of_each_maintenance_task_is_kept(conn: Connection, clock: Clock) -> None:
    await conn.execute("select holdfast.record_maintenance(array['prune', 'rescue', 'prune'])")
    first = await conn.fetchval(LAST, "prune")
    await conn.execute("select holdfast.record_maintenance(array['prune'])")
    assert await conn.fetchval(LAST, "prune") == first, "within ten seconds nothing is written"
    await clock.advance(timedelta(seconds=11))
    await conn.execute("select holdfast.record_maintenance(array['prune'])")
    assert await conn.fetchval(LAST, "prune") > first
    assert await conn.fetchval(LAST, "rescue") < first + timedelta(seconds=11)


async def test_what_a_maintenance_task_remembers_of_itself_stays(conn: Connection, clock: Clock) -> None:
    await conn.execute("select holdfast.summarise_ends()")
    kept = "select counts from holdfast.chores where name = 'summarise_ends'"
    before = await conn.fetchval(kept)
    await clock.advance(timedelta(seconds=11))
    await conn.execute("select holdfast.record_maintenance(array['summarise_ends'])")
    assert before is not None
    assert await conn.fetchval(kept) == before
