-- Gives permits back, endpoint by endpoint in order of name: a row of permits is lane, start, place, probe, estimate and units.
create or replace function holdfast.settle_permits(permits double precision[], is_ok boolean)
returns void
language plpgsql volatile
as $$
declare
  part   record;
  e      holdfast.endpoints;
  before holdfast.endpoints;
  now    double precision;
  u      constant double precision := random();
  used   double precision;
  i      integer;
begin
  for part in
    select l.endpoint, array_agg(s order by s) as rows
    from generate_subscripts(permits, 1) as s
    join holdfast.lanes as l on l.lane = permits[s][1]::integer
    group by l.endpoint
    order by l.endpoint
  loop
    e := holdfast.lock_endpoint(part.endpoint);
    continue when e.name is null;
    now := extract(epoch from holdfast.now());
    e := holdfast.close_second(e, now);
    before := e;
    foreach i in array part.rows loop
      -- A success that does not say what it used has used what was expected of it.
      used := coalesce(permits[i][6], case when is_ok then permits[i][5] end);
      if is_ok then
        e := holdfast.call_ok(e, now, u, permits[i][2], permits[i][3]::integer, permits[i][4] = 1, permits[i][5], permits[i][6]);
      else
        e := holdfast.call_void(e, permits[i][4] = 1, permits[i][5]);
      end if;
      e := holdfast.spend(e, now, used);
      e := holdfast.count_call(e, case when is_ok then 'ok' end, used, now - permits[i][2]);
    end loop;
    perform holdfast.save_endpoint(e);
    perform holdfast.record_turn(before, e, now);
  end loop;
end
$$;
comment on function holdfast.settle_permits(double precision[], boolean) is 'Gives permits back after calls that succeeded, or that say nothing about their endpoint.';
