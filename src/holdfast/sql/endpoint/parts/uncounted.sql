-- For a job whose last failure was its endpoint's and did not count: a remark on when such a failure will count.
create or replace function holdfast.uncounted(job holdfast.jobs)
returns table (blocker text, detail text, until timestamptz, blocks boolean)
language sql stable
as $$
  select 'not_counted',
    format('Endpoint %s failed its last try, which did not count against it. From try %s on (%s so far) a failure'
      ' counts if another job''s call was answered well since the try before.',
      l.endpoint, 4 * holdfast.max_failures_of(job), job.failures + job.losses + job.deferrals),
    null::timestamptz, false
  from (
    select a.outcome, a.class, a.generation, a.visit
    from holdfast.attempts as a
    where a.job_id = job.id
    order by a.attempt desc
    limit 1
  ) as last
  join holdfast.lanes as l on l.lane = job.lane
  where (last.outcome, last.class, last.generation, last.visit) = ('deferred', 'transient', job.generation, job.visit)
$$;
