-- Formats a rate: 100/minute.
create or replace function holdfast.rate_words(starts integer, period double precision)
returns text
language sql immutable parallel safe
as $$
  select starts || '/' || case period
    when 1 then 'second'
    when 60 then 'minute'
    when 3600 then 'hour'
    when 86400 then 'day'
    else period || 's'
  end
$$;
