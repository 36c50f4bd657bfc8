-- lanes -> past_lanes: lanes without jobs for thirty days. A lane that a stage or a fallback needs stays.
create or replace function holdfast.remove_lanes(max integer)
returns integer
language plpgsql volatile
as $$
declare
  at   constant timestamptz := holdfast.now();
  idle constant integer[] := array(
    select l.lane
    from holdfast.lanes as l
    where l.expires_at < at
    order by l.expires_at
    limit max
    for update skip locked);
  gone integer[];
begin
  if cardinality(idle) = 0 then
    return 0;
  end if;
  with needed as materialized (
    select j.lane from holdfast.jobs as j where j.state = 'running'
    union
    select j.permit_lane from holdfast.jobs as j where j.state = 'running' and j.permit_lane is not null
    union
    select s.lane from holdfast.stages as s
    union
    select f.lane
    from holdfast.endpoints as e
    join holdfast.lanes as l on l.endpoint = e.name
    join holdfast.lanes as f on f.queue = l.queue
      and f.endpoint = e.fallback
      and f."group" = l."group"
      and f.task = l.task
      and f.is_capped = l.is_capped
      and not f.is_suspect
    where e.fallback is not null
    union
    -- A suspect returns there when it is cleared.
    select holdfast.plain_lane(l.lane) from holdfast.lanes as l where l.is_suspect
  ), removed as (
    delete from holdfast.lanes as l
    where l.lane = any (idle)
      and not exists (select from needed as n where n.lane = l.lane)
      and not exists (select from holdfast.jobs as j where j.lane = l.lane and j.state = 'ready')
      and not exists (select from holdfast.jobs as j where j.lane = l.lane and j.state in ('waiting', 'scheduled'))
    returning l.*
  ), kept as (
    insert into holdfast.past_lanes (lane, queue, endpoint, "group", task, is_capped, removed_at)
    select r.lane, r.queue, r.endpoint, r."group", r.task, r.is_capped, at from removed as r
    returning lane
  )
  select coalesce(array_agg(k.lane), '{}') into gone from kept as k;
  delete from holdfast.lane_marks as m where m.lane = any (gone);
  update holdfast.lanes as l set expires_at = at + interval '1 day' where l.lane = any (idle);
  return cardinality(gone);
end
$$;
