"""An end is counted however late its transaction commits, within a quarter of an hour, and never twice."""

from holdfast.db.connect import Connection
from tests.builders import completed_job
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


async def ends(conn: Connection) -> int:
    return sum(row["jobs"] for row in await counts(conn, "end"))


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
    for _ in range(3):
        await summarise(crowd.watcher)
    assert await ends(crowd.watcher) == 2
