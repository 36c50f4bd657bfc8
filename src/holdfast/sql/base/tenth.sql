-- The tenth of the decimal logarithm of a duration in milliseconds: a bucket about a quarter wider than the one before.
create or replace function holdfast.tenth(took interval)
returns integer
language sql immutable parallel safe
as $$
  -- One expression, and none of it numeric: so it is part of the caller's plan, and cheap.
  select case when took is not null then floor(10 * log(greatest(0.1, 1000 * date_part('epoch', took))))::integer end
$$;
comment on function holdfast.tenth(interval) is 'The bucket of a duration: tenths of the decimal logarithm of milliseconds.';
