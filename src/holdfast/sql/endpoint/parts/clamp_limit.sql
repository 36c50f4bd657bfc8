-- A limit within the endpoint's range.
create or replace function holdfast.clamp_limit(e holdfast.endpoints, wanted double precision)
returns double precision
language sql immutable
as $$
  select least(e.max_limit, greatest(e.min_limit, wanted))
$$;
