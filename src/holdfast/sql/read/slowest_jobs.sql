-- Returns the jobs of a period whose last attempt ran longest, slowest first; at most max (up to 1000).
-- Looks at the 10,000 ended jobs that were enqueued last: is_partial is true if there are more.
-- plan: no seqscan, no bitmapscan, no sort
create or replace function holdfast.slowest_jobs(since interval default '1 day', max integer default 10,
  until timestamptz default null)
returns table (
  job_id uuid, queue text, task text, stage text, state text, attempt integer, waited interval, ran interval,
  units double precision, ended_at timestamptz, is_partial boolean
)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  ended constant timestamptz := coalesce(until, holdfast.now());
  began constant timestamptz := ended - least(greatest(since, '1 minute'), '30 days');
begin
  perform holdfast.check_count('max', max);
  return query
    with looked as materialized (
      select h.id, h.queue, h.task, h.stage, h.state, h.attempt, h.ready_at, h.started_at, h.ended_at, h.units
      from holdfast.history as h
      order by h.id desc
      limit 10000
    )
    select
      l.id, l.queue, l.task, l.stage, l.state, l.attempt, l.started_at - l.ready_at, l.ended_at - l.started_at, l.units,
      l.ended_at, (select count(*) = 10000 from looked)
    from looked as l
    where l.started_at is not null and l.ended_at >= began and l.ended_at < ended
    order by l.ended_at - l.started_at desc, l.id
    limit least(max, 1000);
end
$$;
