-- The events that no seal covers yet, by day; rows as of verify_events.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.unsealed_events(since date, until date)
returns table (day date, events bigint, status text, problem text, seal text)
language sql stable
as $$
  select t.day, count(*), 'unsealed',
    case when t.day < (holdfast.now() at time zone 'UTC')::date then 'the day is over and not sealed yet' end, null
  from (
    select (e.at at time zone 'UTC')::date as day
    from holdfast.events as e
    where e.id > coalesce((select max(s.through_id) from holdfast.event_seals as s), 0)
      and (e.job_id is null or e.actor is not null or e.to_state in ('rejected', 'cancelled', 'dead'))
  ) as t
  where t.day between coalesce(since, '-infinity') and coalesce(until, 'infinity')
  group by t.day
  order by t.day
$$;
