-- The wait that a worker reported from an answer's Retry-After, from 0 to an hour; null if it has none.
create or replace function holdfast.reported_wait(detail jsonb)
returns interval
language sql immutable parallel safe
as $$
  select case
    when holdfast.read_number(detail -> 'retry_after') is not null
      then make_interval(secs => least(3600, greatest(0, holdfast.read_number(detail -> 'retry_after'))))
  end
$$;
