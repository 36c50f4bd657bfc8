-- A duration for people, in the notation that options take: 8ms, 1.2s, 75s, 3m. The command line writes them the same.
create or replace function holdfast.span_words(length interval)
returns text
language sql immutable parallel safe
as $$
  select case
    when s >= 2 * 86400 then trunc(s / 86400) || 'd'
    when s >= 2 * 3600 then trunc(s / 3600) || 'h'
    when s >= 2 * 60 then trunc(s / 60) || 'm'
    when s >= 9.95 then round(s) || 's'
    when s >= 0.9995 then trim_scale(round(s, 1)) || 's'
    when s >= 0.0005 then round(s * 1000) || 'ms'
    else '0s'
  end
  from (select extract(epoch from length)::numeric as s) as seconds
$$;
comment on function holdfast.span_words(interval) is 'A duration for people, in the notation that options take.';
