-- The endpoint that serves a lane now: its own, or the fallback while that is down; null if it has none.
create or replace function holdfast.serving_endpoint(lane_id integer, at timestamptz)
returns holdfast.endpoints
language plpgsql stable
as $$
declare
  e    holdfast.endpoints;
  free record;
begin
  select t.* into e
  from holdfast.lanes as l
  join holdfast.endpoints as t on t.name = l.endpoint
  where l.lane = lane_id;
  if e.fallback is null then
    return e;
  end if;
  select * into free from holdfast.admission(e, extract(epoch from at));
  if free.room <= 0 and holdfast.is_down(e, free.reason)
    and holdfast.fallback_lane(lane_id, e.fallback) is not null then
    select t.* into e from holdfast.endpoints as t where t.name = e.fallback;
  end if;
  return e;
end
$$;
