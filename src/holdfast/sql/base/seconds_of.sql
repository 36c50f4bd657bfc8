-- A duration in seconds, without trailing zeros.
create or replace function holdfast.seconds_of(duration interval)
returns numeric
language sql immutable parallel safe
as $$
  select trim_scale(extract(epoch from duration)::numeric)
$$;
