-- Gives permits back, after calls that succeeded or say nothing. The caller has locked their endpoints.
create or replace function holdfast.settle_permits(permits holdfast.permit[], is_ok boolean)
returns void
language plpgsql volatile
as $$
declare
  part   record;
  p      holdfast.permit;
  e      holdfast.endpoints;
  before holdfast.endpoints;
  now    double precision;
  u      constant double precision := random();
  used   double precision;
begin
  for part in
    select l.endpoint, array_agg(t) as permits
    from unnest(permits) as t
    -- offset 0: one look by number for each, also below a function that forbids nested loops.
    cross join lateral (select o.endpoint from holdfast.lanes as o where o.lane = t.lane offset 0) as l
    group by l.endpoint
    order by l.endpoint
  loop
    select t.* into e from holdfast.endpoints as t where t.name = part.endpoint;
    continue when not found;
    now := extract(epoch from holdfast.now());
    e := holdfast.close_second(e, now);
    before := e;
    foreach p in array part.permits loop
      -- A success without reported units has used its estimate.
      used := coalesce(p.used, case when is_ok then p.expected end);
      if is_ok then
        e := holdfast.call_ok(e, now, u, p.started, p.place, p.is_probe, p.expected, p.used);
      else
        e := holdfast.call_void(e, p.is_probe, p.expected);
      end if;
      e := holdfast.spend(e, now, used);
      e := holdfast.count_call(e, case when is_ok then 'ok' end, used, now - p.started);
    end loop;
    perform holdfast.save_endpoint(e);
    perform holdfast.record_turn(before, e, now);
  end loop;
end
$$;
