-- How many tries a retry policy allows: a list of N delays means N + 1.
create or replace function holdfast.retry_tries(policy jsonb)
returns integer
language sql immutable parallel safe
as $$
  select coalesce(jsonb_array_length(policy -> 'delays') + 1, (policy ->> 'tries')::numeric::integer)
$$;
comment on function holdfast.retry_tries(jsonb) is 'How many tries a retry policy allows; null if it does not say.';
