-- Formats a duration for people: 8 ms, 1.2 s, 75 s, 3 min.
create or replace function holdfast.span_words(length interval)
returns text
language sql immutable parallel safe
as $$
  select case
    when s >= 2 * 86400 then trunc(s / 86400) || ' d'
    when s >= 2 * 3600 then trunc(s / 3600) || ' h'
    when s >= 2 * 60 then trunc(s / 60) || ' min'
    when s >= 9.95 then round(s) || ' s'
    when s >= 0.9995 then trim_scale(round(s, 1)) || ' s'
    when s >= 0.0005 then round(s * 1000) || ' ms'
    else '0 s'
  end
  from (select extract(epoch from length)::numeric as s) as seconds
$$;
