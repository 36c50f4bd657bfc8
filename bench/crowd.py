"""Databases with a past: ready and ended jobs by the million, written by SQL."""

from typing import Any

import asyncpg

from bench.server import on_connection

CHUNK = 1_000_000

PARTITIONS = """
do $$
declare
  week  timestamptz;
  part  text;
  owner text := (select tableowner from pg_tables where schemaname = 'holdfast' and tablename = 'history');
begin
  for i in 1..3 loop
    week := date_trunc('week', now(), 'UTC') - i * interval '7 days';
    part := 'history_' || to_char(week at time zone 'UTC', 'IYYY"w"IW');
    execute format('create table holdfast.%I partition of holdfast.history for values from (%L) to (%L)',
      part, week, week + interval '7 days');
    execute format('alter table holdfast.%I owner to %I', part, owner);
  end loop;
end
$$
"""

# Evenly over the last twenty days, so that none is old enough to be pruned; one in a hundred is dead.
ENDED = """
insert into holdfast.history (
  id, state, ended_at, queue, task, lane, priority, attempt, failures, losses, deferrals, generation, visit,
  ready_at, started_at, payload
)
select
  (holdfast.id_prefix(at) || substr(md5(i::text), 1, 3) || '-8' || substr(md5(i::text), 4, 3) || '-'
    || substr(md5(i::text), 7, 12))::uuid,
  case when i % 100 = 0 then 'dead' else 'completed' end,
  at + interval '5 seconds', 'default', 'noop', $4, 50, 1, 0, 0, 0, 1, 1,
  at + interval '1 second', at + interval '2 seconds', '{"n": 0.0}'
from (
  select i, now() - interval '1 minute' - ($1::bigint - i) * (interval '20 days' / $1::bigint) as at
  from generate_series($2::bigint, $3::bigint) as i
) as moment
"""

READY = """
insert into holdfast.jobs (id, lane, priority, urgency, state, rank_at, queue, task, payload)
select
  (holdfast.id_prefix(at) || substr(md5(i::text), 1, 3) || '-9' || substr(md5(i::text), 4, 3) || '-'
    || substr(md5(i::text), 7, 12))::uuid,
  $2, 50, 50, 'ready', at, 'default', 'noop', '{"n": 0.0}'
from (
  select i, now() - ($1::bigint - i) * interval '1 millisecond' as at
  from generate_series(1::bigint, $1::bigint) as i
) as moment
"""


def fill(url: str, ready: int, ended: int) -> None:
    """Vacuumed at once, so that autovacuum does not do it while something is measured.

    No checkpoint follows: after one, the first change of each page would log the whole page, and jobs that
    were there before it would look dearer than those that came later.
    """

    async def write(connection: "asyncpg.Connection[Any]") -> None:
        lane = await connection.fetchval("select holdfast.find_lane('default', null, null)")
        await connection.execute(PARTITIONS)
        for first in range(1, ended + 1, CHUNK):
            await connection.execute(ENDED, ended, first, min(first + CHUNK - 1, ended), lane)
        await connection.execute(READY, ready, lane)
        await connection.execute("vacuum (analyze) holdfast.history")
        await connection.execute("vacuum (analyze) holdfast.jobs")

    on_connection(url, write)
