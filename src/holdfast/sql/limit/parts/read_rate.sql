-- Reads a rate from settings, such as "100/minute" or "5 per 30 s", as starts and seconds; nulls for none.
create or replace function holdfast.read_rate(value jsonb, out starts integer, out period double precision)
language plpgsql immutable
as $$
declare
  said  constant text := lower(btrim(value #>> '{}'));
  parts constant text[] := regexp_match(said,
    $re$^(\d{1,6})\s*(?:/|per|a)\s*(\d{1,6}(?:\.\d{1,3})?)?\s*(s|sec|seconds?|m|min|minutes?|h|hours?|d|days?)\Z$re$);
begin
  if said is null or said = 'none' then
    return;
  end if;
  starts := parts[1]::integer;
  period := coalesce(parts[2]::double precision, 1)
    * case left(parts[3], 1) when 's' then 1 when 'm' then 60 when 'h' then 3600 else 86400 end;
  if starts is null or starts not between 1 and 100000 or period not between 0.001 and 2678400 then
    perform holdfast.refuse('HF002',
      format('rate must be a number of starts per time (got %s).', left(value::text, 200)),
      'Pass at most 100000 starts in at most 31 days, such as "100/minute", "5 per second" or "20/30s". To remove'
      ' the rate, pass null or "none".');
  end if;
end
$$;
