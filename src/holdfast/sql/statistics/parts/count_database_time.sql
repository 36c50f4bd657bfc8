-- Counts how long the handlers of a worker waited for the database since it last told; returns what it has told now.
-- told is since the start of the worker: {queue: {task: seconds}}. A repetition therefore counts nothing twice.
create or replace function holdfast.count_database_time(told jsonb, before jsonb)
returns jsonb
language plpgsql volatile
as $$
begin
  if jsonb_typeof(told) is distinct from 'object' or told = coalesce(before, '{}') then
    return before;
  end if;
  insert into holdfast.end_counts as c (minute, what, queue, task, state, jobs, run_seconds)
  select date_trunc('minute', holdfast.now()), 'database', q.key, t.key, '', 0, t.seconds - t.known
  from jsonb_each(told) as q
  cross join lateral (
    select
      e.key, holdfast.read_number(e.value) as seconds,
      coalesce(holdfast.read_number(before -> q.key -> e.key), 0) as known
    from jsonb_each(case when jsonb_typeof(q.value) = 'object' then q.value else '{}' end) as e
  ) as t
  where t.seconds > t.known
  -- In one order: two workers may tell of the same.
  order by q.key, t.key
  on conflict on constraint end_counts_pkey do update set run_seconds = c.run_seconds + excluded.run_seconds;
  return told;
end
$$;
