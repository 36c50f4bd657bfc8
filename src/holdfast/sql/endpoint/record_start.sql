-- Writes a start into the ring that holds an endpoint to its requests per minute.
create or replace function holdfast.record_start(e holdfast.endpoints, now double precision)
returns void
language sql volatile
as $$
  insert into holdfast.endpoint_starts as s (endpoint, slot, at)
  values (e.name, e.starts % e.requests_per_minute, now)
  on conflict (endpoint, slot) do update set at = excluded.at
$$;
comment on function holdfast.record_start(holdfast.endpoints, double precision) is 'Writes a start into an endpoint''s ring of starts.';
