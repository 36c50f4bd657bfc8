-- How those of some jobs have ended that had an attempt last, at most max of them: at has the end of each attempt.
-- A job of history has ended after its attempts, so partitions from before are not read.
create or replace function holdfast.ends_of_jobs(jobs uuid[], at timestamptz[], max integer, out looked bigint,
  out dead bigint, out completed bigint)
language sql stable
as $$
  select
    count(*),
    count(*) filter (where h.state = 'dead'),
    count(*) filter (where h.state = 'completed')
  from (
    select u.job, max(u.at) as at
    from unnest(jobs, ends_of_jobs.at) as u (job, at)
    group by u.job
    order by max(u.at) desc, u.job
    limit ends_of_jobs.max
  ) as j
  left join lateral (
    select h.state
    from holdfast.history as h
    where h.id = j.job
      and h.ended_at >= j.at - interval '1 minute'
    order by h.ended_at desc
    limit 1
  ) as h on true
$$;
