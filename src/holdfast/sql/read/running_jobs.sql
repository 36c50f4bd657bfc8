-- Returns running jobs, longest running first, at most max (up to 1000).
-- progress is a row of progress_view, with eta in seconds; null if the job has reported none. queues limits them. Looks
-- at 10,000 running jobs.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.running_jobs(max integer default 20, queues text[] default null)
returns table (job_id uuid, queue text, task text, started_at timestamptz, progress jsonb)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
begin
  perform holdfast.check_count('max', max);
  return query
    with looked as materialized (
      select j.id, j.queue, j.task, j.started_at
      from holdfast.jobs as j
      where j.state = 'running'
      limit 10000
    ), chosen as materialized (
      select l.*
      from looked as l
      where coalesce(l.queue = any (queues), queues is null)
      order by l.started_at, l.id
      limit least(max, 1000)
    )
    select r.id, r.queue, r.task, r.started_at, p.progress
    from chosen as r
    -- offset 0: one look by id.
    left join lateral (
      select to_jsonb(v) - 'job_id' || jsonb_build_object('eta', extract(epoch from v.eta)) as progress
      from holdfast.progress_view as v
      where v.job_id = r.id
      offset 0
    ) as p on true
    order by r.started_at, r.id;
end
$$;
