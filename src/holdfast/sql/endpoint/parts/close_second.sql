-- Stores the counts of the last second, adds them to the totals and starts the current one.
-- The caller has locked the endpoint, changed nothing, and saves it: otherwise the second would be stored again.
create or replace function holdfast.close_second(inout e holdfast.endpoints, now double precision)
language plpgsql volatile
as $$
begin
  if e.second = floor(now) then
    return;
  end if;
  if e.second_started + e.second_ok + e.second_failed + e.second_limited + e.second_other > 0 then
    -- After the clock was set back the same second comes again.
    insert into holdfast.endpoint_seconds as s (
      endpoint, second, started, ok, failed, limited, other, units, took, "limit", in_flight, circuit, rate
    )
    values (
      e.name, e.second, e.second_started, e.second_ok, e.second_failed, e.second_limited, e.second_other,
      e.second_units, e.second_took, e.limit, e.in_flight, e.circuit, e.rate
    )
    on conflict (endpoint, second) do update
    set started = s.started + excluded.started, ok = s.ok + excluded.ok, failed = s.failed + excluded.failed,
        limited = s.limited + excluded.limited, other = s.other + excluded.other, units = s.units + excluded.units,
        took = s.took + excluded.took, "limit" = excluded."limit", in_flight = excluded.in_flight,
        circuit = excluded.circuit, rate = excluded.rate;
    e.totals := (
      (e.totals).ok + e.second_ok, (e.totals).failed + e.second_failed, (e.totals).limited + e.second_limited,
      (e.totals).other + e.second_other, (e.totals).units + e.second_units, (e.totals).took + e.second_took,
      (e.totals).cost + e.second_units * e.price
    )::holdfast.call_totals;
  end if;
  e.second := floor(now);
  e.second_started := 0;
  e.second_ok := 0;
  e.second_failed := 0;
  e.second_limited := 0;
  e.second_other := 0;
  e.second_units := 0;
  e.second_took := 0;
end
$$;
