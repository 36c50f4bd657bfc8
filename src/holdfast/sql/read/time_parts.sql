-- Returns where the time of each task went lately, in seconds: in its attempts, and in waiting for the last of a job.
-- attempts: those that completed or rejected a job, led to the next stage, failed, timed out or were lost. waiting:
-- ready, but not started. database: in statements that its handler waited for. model and tool: in calls of models and
-- tools. handler: the rest of its run time. since as for end_stats. What a call takes in parallel to others counts for
-- each, so that the parts may exceed the run time.
create or replace function holdfast.time_parts(since interval default '1 hour', queue text default null,
  task text default null)
returns table (
  name text, attempts bigint, waiting double precision, database double precision, model double precision,
  tool double precision, handler double precision
)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select
      p.name, p.attempts::bigint, p.waiting, p.database, p.model, p.tool,
      greatest(0, p.running - p.database - p.model - p.tool)
    from (
      select
        c.task as name, coalesce(sum(c.jobs) filter (where k.is_attempt), 0) as attempts,
        coalesce(sum(c.wait_seconds) filter (where c.what = 'end'), 0) as waiting,
        coalesce(sum(c.run_seconds) filter (where k.is_attempt), 0) as running,
        coalesce(sum(c.run_seconds) filter (where c.what = 'database'), 0) as database,
        coalesce(sum(c.run_seconds) filter (where c.what = 'call' and c.state like 'model%'), 0) as model,
        coalesce(sum(c.run_seconds) filter (where c.what = 'call' and c.state like 'tool%'), 0) as tool
      from holdfast.end_counts as c
      -- The last attempt of a dead job has a row of its own, and a job may be cancelled without any.
      cross join lateral (
        select c.what = 'attempt' or c.what = 'end' and c.state in ('completed', 'rejected', 'advanced')
      ) as k (is_attempt)
      where c.is_hour = any (array[false, true])
        and c.minute >= holdfast.now() - least(greatest(since, '1 minute'), '366 days')
        and c.what = any (array['end', 'attempt', 'call', 'database'])
        and c.task <> ''
        and (time_parts.queue is null or c.queue = time_parts.queue)
        and (time_parts.task is null or c.task = time_parts.task)
      group by c.task
    ) as p
    order by p.name;
end
$$;
