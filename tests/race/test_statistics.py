"""An end is counted however late its transaction commits, within a quarter of an hour, and never twice."""

import asyncio

from holdfast.db.connect import Connection
from tests.builders import completed_job
from tests.patience import PATIENCE
from tests.race.crowd import Crowd
from tests.sql.summarise_ends.scene import counts, summarise

LATE_END = """
insert into holdfast.history (
  id, state, ended_at, queue, task, lane, priority, attempt, failures, losses, deferrals, generation, visit
)
select
  holdfast.new_id(now() - interval '5 minutes'), state, now() - interval '5 minutes', queue, task, lane,
  priority, attempt, failures, losses, deferrals, generation, visit
from holdfast.history
"""
MINUTES, MANY = 10, 500
# In each of the minutes before that of the newest end.
MANY_ENDS = """
insert into holdfast.history (
  id, state, ended_at, queue, task, lane, priority, attempt, failures, losses, deferrals, generation, visit
)
select
  holdfast.new_id(at), state, at, queue, task, lane, priority, attempt, failures, losses, deferrals,
  generation, visit
from holdfast.history
cross join generate_series(1, $1::integer) as m
cross join generate_series(1, $2::integer) as i
cross join lateral (
  select date_trunc('minute', ended_at) - m * interval '1 minute' + i * interval '100 milliseconds' as at
) as moment
"""
NOTHING_COUNTED = """
insert into holdfast.chores (name, succeeded_at, counts)
select
  'summarise_ends', now(),
  jsonb_build_object('sure', date_trunc('minute', max(ended_at)) - $1::integer * interval '1 minute')
from holdfast.history
on conflict (name) do update set counts = excluded.counts
"""


async def ends(conn: Connection) -> int:
    return sum(row["jobs"] for row in await counts(conn, "end"))


async def until_counted(conn: Connection, number: int, within: str = "1 minute") -> None:
    """Transactions of other databases count as open, too: until they have ended."""
    async with asyncio.timeout(PATIENCE):
        while await ends(conn) < number:
            await summarise(conn, within)
            await asyncio.sleep(0.002)


async def test_an_end_that_commits_five_minutes_late_is_counted_once(crowd: Crowd) -> None:
    # As if the transaction had begun five minutes ago: nothing was counted since.
    await crowd.watcher.execute("delete from holdfast.chores where name = 'summarise_ends'")
    await completed_job(crowd.watcher)
    late = await crowd.join()
    transaction = late.transaction()
    await transaction.start()
    await late.execute(LATE_END)
    for _ in range(3):
        await summarise(crowd.watcher)
    assert await ends(crowd.watcher) == 1
    await transaction.commit()
    await until_counted(crowd.watcher, 2)
    for _ in range(3):
        await summarise(crowd.watcher)
    assert await ends(crowd.watcher) == 2


async def test_rounds_of_one_minute_make_progress_beside_a_held_transaction(crowd: Crowd) -> None:
    conn = crowd.watcher
    await completed_job(conn)
    late = await crowd.join()
    transaction = late.transaction()
    await transaction.start()
    await late.execute(LATE_END)
    await conn.execute(MANY_ENDS, MINUTES, MANY)
    await conn.execute(NOTHING_COUNTED, MINUTES)
    for minute in range(1, MINUTES + 1):
        await summarise(conn, "0")
        assert await ends(conn) == minute * MANY, "each round counts one minute, and none a second time"
    await summarise(conn, "0")
    assert await ends(conn) == MINUTES * MANY + 1
    await transaction.commit()
    await until_counted(conn, MINUTES * MANY + 2, "0")
    await summarise(conn)
    assert await ends(conn) == MINUTES * MANY + 2
