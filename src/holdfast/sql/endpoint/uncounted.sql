-- Good to know of a job whose last try its endpoint failed, at no cost to the job: when such a failure will count. No row for others.
create or replace function holdfast.uncounted(job holdfast.jobs)
returns table (blocker text, detail text, until timestamptz, blocks boolean)
language sql stable
as $$
  select 'not_counted',
    format('Endpoint %s failed its last try, which did not count against it. From try %s on (%s so far) a failure counts if'
      ' another job''s call was answered well since the try before.',
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
comment on function holdfast.uncounted(holdfast.jobs) is 'When a failure of a job''s endpoint will count against it, if its last one did not.';
