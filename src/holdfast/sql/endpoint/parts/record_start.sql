-- Records a start in the ring that enforces requests_per_minute.
create or replace function holdfast.record_start(e holdfast.endpoints, now double precision)
returns void
language sql volatile
as $$
  insert into holdfast.endpoint_starts as s (endpoint, slot, at)
  values (e.name, e.starts % e.requests_per_minute, now)
  on conflict (endpoint, slot) do update set at = excluded.at
$$;
