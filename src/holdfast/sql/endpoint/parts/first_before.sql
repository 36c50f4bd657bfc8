-- The first job in the line of a job, if it is another one; null where budgets of runs decide who starts.
create or replace function holdfast.first_before(job holdfast.jobs, at timestamptz)
returns uuid
language sql stable
as $$
  select f.id
  from holdfast.lanes as l
  cross join lateral holdfast.serving_endpoint(l.lane, at) as e
  cross join lateral holdfast.line_of(l.lane, at, 1, coalesce(e.circuit <> 'closed', false)) as f
  where l.lane = job.lane
    and not l.is_capped
    and f.id <> job.id
  limit 1
$$;
