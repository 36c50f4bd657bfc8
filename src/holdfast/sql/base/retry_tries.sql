-- How many tries a retry policy allows: N + 1 for a list of N delays.
create or replace function holdfast.retry_tries(policy jsonb)
returns integer
language sql immutable parallel safe
as $$
  select coalesce(jsonb_array_length(policy -> 'delays') + 1, (policy ->> 'tries')::numeric::integer)
$$;
