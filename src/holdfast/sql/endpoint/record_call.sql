-- Counts one start or end in the second in which it happened.
create or replace function holdfast.record_call(e holdfast.endpoints, now double precision, what text, units double precision, took double precision)
returns void
language sql volatile
as $$
  insert into holdfast.endpoint_seconds as s (endpoint, second, started, ok, failed, limited, other, units, took, "limit", in_flight, circuit, rate)
  values (
    e.name, floor(now)::bigint, (what = 'started')::integer, (what = 'ok')::integer, (what = 'failed')::integer,
    (what = 'limited')::integer, (what = 'other')::integer, coalesce(units, 0), case when what = 'ok' then took else 0 end,
    e.limit, e.in_flight, e.circuit, e.rate
  )
  on conflict (endpoint, second) do update
    set started = s.started + excluded.started, ok = s.ok + excluded.ok, failed = s.failed + excluded.failed,
        limited = s.limited + excluded.limited, other = s.other + excluded.other, units = s.units + excluded.units,
        took = s.took + excluded.took, "limit" = excluded."limit", in_flight = excluded.in_flight, circuit = excluded.circuit, rate = excluded.rate
$$;
comment on function holdfast.record_call(holdfast.endpoints, double precision, text, double precision, double precision) is 'Counts one start or end of a call in its second.';
