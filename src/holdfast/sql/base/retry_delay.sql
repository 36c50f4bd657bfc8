-- The delay after the given number of failures. Jitter only adds to it.
create or replace function holdfast.retry_delay(policy jsonb, failures integer, chance double precision)
returns interval
language sql immutable parallel safe
as $$
  select make_interval(secs => (1 + chance * coalesce((policy ->> 'jitter')::double precision, 0)) * case
    when jsonb_array_length(policy -> 'delays') = 0 then 0
    when policy ? 'delays' then
      (policy -> 'delays'
        ->> least(greatest(failures, 1), jsonb_array_length(policy -> 'delays')) - 1)::double precision
    else least(
      coalesce((policy ->> 'cap')::double precision, greatest(300, (policy ->> 'base')::double precision)),
      -- Beyond 2^60 the cap applies anyway; the bound keeps the power finite.
      (policy ->> 'base')::double precision
        * power(coalesce((policy ->> 'factor')::double precision, 2), least(greatest(failures, 1) - 1, 60))
    )
  end)
$$;
