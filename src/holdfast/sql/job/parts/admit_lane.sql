-- Picks the ready jobs of a lane that limits, endpoint and budgets allow to start now.
-- lone_worker is set for a lane of suspects: that worker gets one job and nothing else (is_last). chosen: the one job
-- that may start; null means any.
create or replace function holdfast.admit_lane(
  in_lane integer, in_queue text, in_endpoint text, is_special boolean, wanted integer, inout at timestamptz,
  lone_worker uuid, chosen uuid,
  out ids uuid[], out places integer[], out is_probe boolean, out estimates double precision[],
  out reserved double precision[],
  out permit_lane integer, out endpoint text, out until timestamptz, out is_last boolean
)
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  most  integer := wanted;
  l     holdfast.lanes;
  later timestamptz;
begin
  ids := '{}';
  -- Another claim of this worker may have taken a suspect since the lanes were listed.
  if lone_worker is not null and exists (
    select from holdfast.workers as w where w.id = lone_worker and holdfast.runs_alone(w)
  ) then
    is_last := true;
    until := at + interval '500 milliseconds';
    return;
  end if;
  if not exists (select from holdfast.jobs as j where j.lane = in_lane and j.state = 'ready') then
    return;
  end if;
  if lone_worker is not null then
    most := holdfast.suspect_room(lone_worker, in_lane);
    is_last := most is null;
    if is_last then
      until := at + interval '500 milliseconds';
    end if;
    if coalesce(most, 0) = 0 then
      return;
    end if;
  end if;
  if is_special then
    select t.* into l from holdfast.lanes as t where t.lane = in_lane;
    select h.room, h.until into most, until from holdfast.hold_limits(in_queue, l.task, most, at) as h;
    if most <= 0 then
      return;
    end if;
    -- Read after the limits are locked, so that starts are in order of time.
    at := holdfast.now();
  end if;
  if in_endpoint <> '' then
    select a.ids, a.places, a.is_probe, a.estimates, a.reserved, a.permit_lane, a.endpoint, a.until
    into ids, places, is_probe, estimates, reserved, permit_lane, endpoint, later
    from holdfast.admit_jobs(in_lane, in_queue, in_endpoint, coalesce(l.is_capped, false), most, at, chosen) as a;
  elsif l.is_capped then
    select a.ids, a.reserved, at + interval '500 milliseconds'
    into ids, reserved, later
    from holdfast.admit_capped(in_lane, most, at, chosen) as a;
  elsif chosen is not null then
    ids := array(select c.id from holdfast.candidates(in_lane, at, most, false, chosen) as c);
  else
    ids := holdfast.choose_next_jobs(in_lane, most, at);
  end if;
  until := case when cardinality(ids) < most then later else until end;
  if is_special and cardinality(ids) > 0 then
    perform holdfast.count_starts(in_queue, l.task, cardinality(ids), at);
  end if;
  if lone_worker is not null and cardinality(ids) > 0 then
    update holdfast.workers as w set alone_with = ids[1] where w.id = lone_worker;
    is_last := true;
  end if;
end
$$;
