-- The wait that an answer asked for, between nothing and an hour; null if it asked for none.
create or replace function holdfast.retry_after(detail jsonb)
returns interval
language sql immutable parallel safe
as $$
  select make_interval(secs => least(3600, greatest(0, holdfast.read_number(detail -> 'retry_after'))))
  where holdfast.read_number(detail -> 'retry_after') is not null
$$;
comment on function holdfast.retry_after(jsonb) is 'The wait that an answer asked for, at most an hour; null if none.';
