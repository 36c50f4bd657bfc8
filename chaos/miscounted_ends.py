"""Whether the statistics have each end once: those of the minutes that no invariant judges yet, too."""

import asyncio

from holdfast.db.statement import Executor, fetch, fetch_value, run

# From where minutes are counted for good, so that the next round counts all the others again, to the present.
COUNT_AGAIN = "update holdfast.chores set counts = counts - 'until' - 'again' where name = 'summarise_ends'"
COUNT = "select holdfast.summarise_ends('1 minute')"
COVERS_NOW = """
select (c.counts ->> 'until')::timestamptz = date_trunc('minute', holdfast.now())
from holdfast.chores as c
where c.name = 'summarise_ends'
"""
# Replayed ends are kept for an hour. What was counted before stands for the ends of that time.
MISCOUNTED = """
with span as (
  select date_trunc('minute', holdfast.counted_until() - interval '50 minutes') as since
), found as (
  select t.queue, t.task, t.pipeline, t.stage, t.state, t.jobs as counted, 0 as ended
  from holdfast.end_totals as t
  where t.what = 'end'
  union all
  select c.queue, c.task, c.pipeline, c.stage, c.state, 0, c.jobs
  from span as s
  join holdfast.end_counts as c on c.minute < s.since and c.what = 'end'
  union all
  select v.queue, v.task, v.pipeline, v.stage, v.state, 0, 1
  from span as s
  cross join lateral holdfast.ended_visits(s.since, 'infinity') as v
)
select
  format('%s %s %s %s %s: %s ended, %s counted', f.queue, f.task, f.pipeline, f.stage, f.state,
    sum(f.ended), sum(f.counted))
from found as f
group by f.queue, f.task, f.pipeline, f.stage, f.state
having sum(f.ended) <> sum(f.counted)
"""
PAUSE = 0.1


async def miscounted_ends(on: Executor) -> list[str]:
    """Only when no job ends any more. Workers may be counting, too."""
    await run(on, COUNT_AGAIN)
    while True:
        if await fetch_value(on, COUNT) is not None and await fetch_value(on, COVERS_NOW):
            return [row[0] for row in await fetch(on, MISCOUNTED)]
        await asyncio.sleep(PAUSE)
