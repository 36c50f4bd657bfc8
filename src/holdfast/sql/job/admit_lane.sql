-- Picks the ready jobs of a lane that may start now: as many as its limits, its endpoint and the budgets of its runs allow.
create or replace function holdfast.admit_lane(
  in_lane integer, in_queue text, in_endpoint text, is_special boolean, wanted integer, inout at timestamptz,
  out ids uuid[], out places integer[], out is_probe boolean, out estimates double precision[], out reserved double precision[],
  out permit_lane integer, out endpoint text, out until timestamptz
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
  if not exists (select from holdfast.jobs as j where j.lane = in_lane and j.state = 'ready') then
    return;
  end if;
  if is_special then
    select t.* into l from holdfast.lanes as t where t.lane = in_lane;
    select h.room, h.until into most, until from holdfast.hold_limits(in_queue, l.task, wanted, at) as h;
    if most <= 0 then
      return;
    end if;
    -- With the limits in hand, so that starts are in order of time.
    at := holdfast.now();
  end if;
  if in_endpoint <> '' then
    select a.ids, a.places, a.is_probe, a.estimates, a.reserved, a.permit_lane, a.endpoint, a.until
    into ids, places, is_probe, estimates, reserved, permit_lane, endpoint, later
    from holdfast.admit_jobs(in_lane, in_queue, in_endpoint, coalesce(l.is_capped, false), most, at) as a;
  elsif l.is_capped then
    select a.ids, a.reserved, at + interval '500 milliseconds' into ids, reserved, later from holdfast.admit_capped(in_lane, most, at) as a;
  else
    ids := holdfast.ready_jobs(in_lane, most, at);
  end if;
  until := case when cardinality(ids) < most then later else until end;
  if is_special and cardinality(ids) > 0 then
    perform holdfast.count_starts(in_queue, l.task, cardinality(ids), at);
  end if;
end
$$;
comment on function holdfast.admit_lane(integer, text, text, boolean, integer, timestamptz)
  is 'Picks the ready jobs of a lane that may start now, as its limits, its endpoint and the budgets of its runs allow.';
