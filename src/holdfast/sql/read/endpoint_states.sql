-- Returns the circuit and the limit of each of these endpoints, and when a call may start again if its circuit is open.
-- For workers, which log changes of the endpoints that their jobs call. Unknown endpoints have no row.
-- plan: no seqscan
create or replace function holdfast.endpoint_states(names text[])
returns table (name text, circuit text, "limit" integer, open_until timestamptz)
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  select v.name, v.circuit, v.limit, v.open_until
  from holdfast.endpoint_view as v
  where v.name = any (names)
$$;
