-- The tenth of the decimal logarithm of a duration in milliseconds: a bucket about a quarter wider than the one before.
create or replace function holdfast.tenth(took interval)
returns integer
language sql immutable parallel safe
as $$
  select floor(10 * log(greatest(0.1, 1000 * extract(epoch from took)::double precision)))::integer
  where took is not null
$$;
comment on function holdfast.tenth(interval) is 'The bucket of a duration: tenths of the decimal logarithm of milliseconds.';
