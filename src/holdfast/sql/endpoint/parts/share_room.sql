-- How many permits a queue may take without those guaranteed to other queues with ready jobs. Unused shares are lent.
create or replace function holdfast.share_room(e holdfast.endpoints, in_queue text)
returns integer
language plpgsql stable
as $$
declare
  owed integer;
begin
  if e.shares = '{}' then
    return 2147483647;
  end if;
  with calls as materialized (
    select coalesce(j.permit_lane, j.lane) as lane, count(*) as running
    from holdfast.jobs as j
    where j.state = 'running'
      and j.in_flight_at_start is not null
    group by 1
  )
  select coalesce(sum(greatest(0, least(s.guaranteed - s.running, s.ready))), 0) into owed
  from (
    select
      -- A share is at least one call, unless the limit is one call.
      greatest(
        floor(e.limit * share.value::double precision),
        (e.limit >= 2 and share.value::double precision > 0)::integer
      )::integer as guaranteed,
      (select coalesce(sum(c.running), 0) from calls as c where c.lane = any (lanes.ids)) as running,
      (select count(*) from (
        select from holdfast.lanes as l, lateral (
          select from holdfast.jobs as j where j.lane = l.lane and j.state = 'ready' limit 100) as r
        where l.lane = any (lanes.ids) limit 100) as few) as ready
    from jsonb_each_text(e.shares) as share
    cross join lateral (
      select array_agg(l.lane) as ids
      from holdfast.lanes as l
      where l.endpoint = e.name and l.queue = share.key) as lanes
    where share.key <> in_queue
  ) as s;
  return greatest(0, floor(e.limit)::integer - e.in_flight - owed);
end
$$;
