-- The setting rescue_delay in full: a retry policy, or one duration, which is then the rest after every loss.
create or replace function holdfast.rescue_policy(value jsonb)
returns jsonb
language sql stable parallel safe
as $$
  select holdfast.retry_policy(case
    -- A duration has a digit, and no preset's name has one.
    when jsonb_typeof(value) = 'number' or jsonb_typeof(value) = 'string' and value #>> '{}' ~ '[0-9]'
      then jsonb_build_array(extract(epoch from holdfast.read_interval(value))::double precision)
    else value
  end)
$$;
