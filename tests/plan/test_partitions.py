"""A look-up by id opens no week of history from before the job was made."""

from collections.abc import AsyncIterator
from uuid import UUID

import asyncpg
import pytest

from holdfast.db.connect import Connection
from tests.builders import completed_job
from tests.plan.cost import counting, partitions_read

# Eight past weeks, as make_partitions would have made them.
PAST_WEEKS = """
do $$
declare
  week timestamptz;
begin
  for week in
    select date_trunc('week', now(), 'UTC') - n * interval '1 week' from generate_series(1, 8) as n
  loop
    execute format(
      'create table holdfast.%I partition of holdfast.history for values from (%L) to (%L)',
      'history_' || to_char(week at time zone 'UTC', 'IYYY"w"IW'), week, week + interval '7 days'
    );
  end loop;
end
$$
"""
PAST = """
select c.relname
from pg_inherits as i
join pg_class as c on c.oid = i.inhrelid
where i.inhparent = 'holdfast.history'::regclass
  and c.relname < 'history_' || to_char(date_trunc('week', now(), 'UTC') at time zone 'UTC', 'IYYY"w"IW')
  and c.relname <> 'history_default'
"""


@pytest.fixture
async def conn(database_url: str) -> AsyncIterator[Connection]:
    connection = await asyncpg.connect(database_url)
    await connection.execute("select holdfast.make_partitions()")
    await connection.execute(PAST_WEEKS)
    yield connection
    await connection.close()


@pytest.mark.parametrize(
    "call",
    [
        "get_job($1)",
        "job_states(array[$1]::uuid[])",
        "cancel_jobs(array[$1]::uuid[])",
        "replay_jobs(array[$1]::uuid[])",
    ],
)
async def test_a_look_up_by_id_leaves_past_weeks_alone(conn: Connection, call: str) -> None:
    past = {row["relname"] for row in await conn.fetch(PAST)}
    assert len(past) == 8
    for _ in range(7):
        # More often than a plan is made for one value: the kept plan must prune too.
        job = (await completed_job(conn)).id
        assert not past & set(await read_by(conn, call, job))


async def test_a_look_up_without_the_time_of_the_id_would_read_all_weeks(conn: Connection) -> None:
    """What the test above would see if nothing were pruned."""
    job = (await completed_job(conn)).id
    async with counting(conn):
        await conn.fetch("select from holdfast.history where id = $1", job)
        read = set(await partitions_read(conn))
    assert {row["relname"] for row in await conn.fetch(PAST)} <= read


async def read_by(conn: Connection, call: str, job: UUID) -> list[str]:
    async with counting(conn):
        await conn.fetch(f"select * from holdfast.{call}", job)
        return await partitions_read(conn)
