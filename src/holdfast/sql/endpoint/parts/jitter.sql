-- A factor of ±20 % from one random number in [0, 1).
create or replace function holdfast.jitter(u double precision)
returns double precision
language sql immutable
as $$
  select 0.8 + 0.4 * u
$$;
