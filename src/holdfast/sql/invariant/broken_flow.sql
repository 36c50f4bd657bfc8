-- Violations of: an endpoint's calls in flight are its running jobs; no queue or task runs more than its limit.
create or replace function holdfast.broken_flow()
returns table (name text, job uuid, detail text)
language sql stable
as $$
  with permit as (
    select l.endpoint, count(*) as jobs
    from holdfast.jobs as j
    join holdfast.lanes as l on l.lane = coalesce(j.permit_lane, j.lane)
    where j.state = 'running'
      and j.in_flight_at_start is not null
    group by l.endpoint
  ), limited as (
    select l.kind, l.name, l.max_concurrent, count(*) as jobs,
      max(j.started_at) > l.changed_at + interval '10 seconds' as has_started
    from holdfast.limits as l
    join holdfast.jobs as j on j.state = 'running' and case l.kind when 'queue' then j.queue else j.task end = l.name
    group by l.kind, l.name
  )
  select 'in_flight_is_wrong', null::uuid,
    format('endpoint %s: %s in flight, %s running jobs have a permit', e.name, e.in_flight, coalesce(p.jobs, 0))
  from holdfast.endpoints as e
  left join permit as p on p.endpoint = e.name
  where e.in_flight <> coalesce(p.jobs, 0)
  union all
  -- Jobs that ran when the limit was lowered may continue; ten seconds later no new one may start above it.
  select 'above_the_limit', null, format('%s %s: %s running, at most %s may', l.kind, l.name, l.jobs, l.max_concurrent)
  from limited as l
  where l.jobs > l.max_concurrent
    and l.has_started
$$;
