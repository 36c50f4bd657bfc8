"""A database with a long past: ended jobs by the million, many live ones, many dead letters."""

from holdfast.db.connect import Connection

LIVE = 112_000  # nine of ten are ready
LETTERS = 120_000

PARTITIONS = """
do $$
declare
  week  timestamptz;
  part  text;
  owner text := (select tableowner from pg_tables where schemaname = 'holdfast' and tablename = 'history');
begin
  for i in 1..5 loop
    week := date_trunc('week', now(), 'UTC') - i * interval '7 days';
    part := 'history_' || to_char(week at time zone 'UTC', 'IYYY"w"IW');
    execute format('create table holdfast.%I partition of holdfast.history for values from (%L) to (%L)',
      part, week, week + interval '7 days');
    execute format('alter table holdfast.%I owner to %I', part, owner);
  end loop;
end
$$
"""

# One in a hundred is dead, and the queue rare has the very oldest job only.
ENDED = """
insert into holdfast.history (
  id, state, ended_at, queue, task, lane, priority, attempt, failures, losses, deferrals, generation, visit,
  ready_at, started_at, run_id, labels, payload, output, unique_scope, unique_key
)
select
  (holdfast.id_prefix(at) || substr(md5(i::text), 1, 3) || '-8' || substr(md5(i::text), 4, 3) || '-'
    || substr(md5(i::text), 7, 12))::uuid,
  case when i % 100 = 0 then 'dead' else 'completed' end,
  at + interval '5 seconds', case when i = 1 then 'rare' else 'crowd' end, 'task', $3, 50,
  1, (i % 100 = 0)::integer, 0, 0, 1, 1,
  at + interval '1 second', at + interval '2 seconds',
  case when i % 1000 = 0 then $4::uuid end, '{"of": "many"}', '{"n": 1}', '"done"',
  case when i % 10 = 0 then 'task' end, case when i % 10 = 0 then 'key ' || i end
from (select i, now() - ($1::bigint - i) * (interval '30 days' / $1::bigint) as at
  from generate_series(1::bigint, $2::bigint) as i) as moment
"""

LIVE_JOBS = """
insert into holdfast.jobs (id, lane, priority, urgency, state, rank_at, due_at, queue, task, payload,
  unique_scope, unique_key)
select
  (holdfast.id_prefix(at) || substr(md5(i::text), 1, 3) || '-9' || substr(md5(i::text), 4, 3) || '-'
    || substr(md5(i::text), 7, 12))::uuid,
  $2, 50, 50, case when i % 10 = 0 then 'scheduled' else 'ready' end,
  case when i % 10 > 0 then now() end, case when i % 10 = 0 then now() + interval '1 day' end,
  'crowd', 'task', '{}', 'task', 'key ' || i
from (select i, now() - ($1 - i) * interval '1 second' as at
  from generate_series(1, $1::integer) as i) as moment
"""

DEAD_LETTERS = """
insert into holdfast.dead_letters (
  job_id, generation, queue, task, reason, class, error_type, message, fingerprint, died_at
)
select h.id, 1, 'crowd', 'task', 'permanent', 'permanent', 'ValueError', repeat('it broke ', 10),
  'f' || i % 20, h.ended_at
from (select id, ended_at, row_number() over () as i from holdfast.history where state = 'dead') as h
union all
select gen_random_uuid(), 1, 'crowd', 'task', 'permanent', 'permanent', 'ValueError', repeat('it broke ', 10),
  'f' || i % 20, now() - i * interval '1 second'
from generate_series(1, $1::integer) as i
"""

ATTEMPTS = """
insert into holdfast.attempts (
  job_id, attempt, generation, visit, outcome, class, counted, queue, task, ended_at, error_type, message,
  fingerprint
)
select gen_random_uuid(), 1, 1, 1, 'failed', 'transient', true, 'crowd', 'task',
  now() - i * interval '1 second', 'ValueError', 'it broke', 'f' || i % 20
from generate_series(1, $1::integer) as i
"""

# What autovacuum does of itself soon after, since the index asks for it.
SUMMARISE = """
select brin_summarize_new_values(indexrelid)
from pg_index
join pg_class as i on i.oid = indexrelid
join pg_am on pg_am.oid = i.relam
where amname = 'brin'
  and i.relkind = 'i'
"""


async def make_history(conn: Connection, ended: int) -> None:
    await conn.execute(PARTITIONS)
    await conn.execute("select holdfast.make_partitions()")
    # Statistics of an empty table are the worst that a plan can be made with.
    await conn.execute("analyze holdfast.history, holdfast.jobs, holdfast.dead_letters, holdfast.attempts")
    for table in ("jobs", "dead_letters", "attempts"):
        await conn.execute(f"alter table holdfast.{table} set (autovacuum_enabled = off)")
    lane = await conn.fetchval("select holdfast.find_lane('crowd', null, null)")
    await conn.execute("select holdfast.find_lane('rare', null, null)")
    run = await conn.fetchval("select holdfast.start_run('long')")
    await conn.execute(ENDED, ended, ended, lane, run)
    await conn.execute(SUMMARISE)
    await conn.execute(LIVE_JOBS, LIVE, lane)
    await conn.execute(DEAD_LETTERS, LETTERS)
    await conn.execute(ATTEMPTS, LETTERS)
