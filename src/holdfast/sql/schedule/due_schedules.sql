-- Returns the schedules that a worker has something to do for, the longest due first, up to max.
-- next_slot is null for one that is new: compute its first slot after counts_from, and call check_schedule. The others
-- are due: call fire_schedule. The time of the database decides, which is now.
-- plan: no seqscan
create or replace function holdfast.due_schedules(max integer default 100)
returns table (
  name text, cron text, every interval, tz text, missed text, counts_from timestamptz, next_slot timestamptz,
  now timestamptz
)
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  select holdfast.check_count('max', max);
  select s.name, s.cron, s.every, s.tz, s.missed, s.counts_from, s.next_slot, holdfast.now()
  from holdfast.schedules as s
  where s.paused_at is null
    and s.state <> 'invalid'
    and coalesce(s.retry_at, s.next_slot, s.counts_from) <= holdfast.now()
  order by coalesce(s.retry_at, s.next_slot, s.counts_from)
  limit max
$$;
