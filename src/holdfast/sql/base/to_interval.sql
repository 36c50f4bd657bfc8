-- A duration from an option, as read_interval reads it, but with the server's own errors: cheap enough for every job.
create or replace function holdfast.to_interval(value jsonb)
returns interval
language sql stable parallel safe
as $$
  select case jsonb_typeof(value)
    when 'string' then (value #>> '{}')::interval
    when 'null' then null
    when 'number' then case
      -- 1000 years
      when abs((value #>> '{}')::numeric) <= 31104000000 then make_interval(secs => (value #>> '{}')::double precision)
      else (value #>> '{}' || ' is too long')::interval
    end
    -- An error for any other value, null without one.
    else ('no ' || jsonb_typeof(value))::interval
  end
$$;
