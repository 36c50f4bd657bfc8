-- The bucket of a duration: tenths of the decimal logarithm of milliseconds, each about a quarter wider than the last.
create or replace function holdfast.duration_bucket(took interval)
returns integer
language sql immutable parallel safe
as $$
  -- One expression without numeric, so that it is inlined into the caller's plan, and cheap.
  select case when took is not null then floor(10 * log(greatest(0.1, 1000 * date_part('epoch', took))))::integer end
$$;
