-- Raises an error for a condition that is no jsonpath, is too long, or could take long or fail at an enqueue.
create or replace function holdfast.check_condition(condition text)
returns void
language plpgsql immutable
as $$
declare
  -- Blanks replace a comment and what is between quotes, so that positions stay. The quotes show a variable: $"limit".
  masked constant text := (
    select string_agg(
      case
        when t[1] ~ '^"' then rpad('"', length(t[1]) - 1) || '"'
        when t[1] ~ $re$^/\*$re$ then repeat(' ', length(t[1]))
        else t[1]
      end, '' order by n)
    from regexp_matches(condition, $re$"(?:[^"\\]|\\.)*"|/\*.*?\*/|[^"/]+|.$re$, 'g') with ordinality as m (t, n));
  parsed text;
  bad    record;
begin
  if coalesce(octet_length(condition), 0) not between 1 and 1024 then
    perform holdfast.refuse('HF002',
      format('A condition must have 1 to 1024 bytes (got %s).', coalesce(octet_length(condition), 0)),
      'Every rule needs a condition. Split one that is too long into several rules.');
  end if;
  begin
    parsed := regexp_replace((condition::jsonpath)::text, $re$"(?:[^"\\]|\\.)*"$re$, '""', 'g');
  exception
    when others then
      perform holdfast.refuse('HF002',
        format('The condition is not a valid JSON path, at character %s: %s.',
          holdfast.fault_position(condition, sqlerrm), sqlerrm),
        'Write comparisons with ==, <, > or starts with, joined by && and ||.');
  end;
  for bad in
    select b.*
    from (values
      ('like_regex', $re$ like_regex $re$, $re$(?<!\.)\mlike_regex\M$re$,
        'A regular expression may take very long. Compare with ==, or use starts with.'),
      ('**', $re$\.\*\*$re$, $re$\*\*$re$, 'This would read the whole payload. Name a field instead.'),
      ('variables', $re$\$""$re$, $re$\$[^\s.\[)?=<>!&|+*/%,-]$re$, 'There are no variables. Use the facts'
        ' $.payload, $.labels, $.task, $.queue, $.origin, $.size, $.now, $.hour and $.weekday.')
    ) as b (what, found_as, written_as, hint)
    where parsed ~ b.found_as
  loop
    perform holdfast.refuse('HF002',
      format('A condition must not use %s%s.', bad.what,
        ' (at character ' || nullif(length(substring(masked from '(?i)^(.*?)' || bad.written_as)) + 1, 0) || ')'),
      bad.hint);
  end loop;
end
$$;
