-- Whether JSON text is nested deeper than 64 levels. Removes innermost pairs of brackets, one level at a time.
create or replace function holdfast.is_deep(document text)
returns boolean
language plpgsql immutable parallel safe
as $$
declare
  brackets text := translate(
    regexp_replace(regexp_replace(document, $re$"(?:[^"\\]|\\.)*"$re$, '', 'g'), '[^][{}]+', '', 'g'),
    '{}', '[]'
  );
begin
  for level in 1..64 loop
    exit when brackets = '';
    brackets := replace(brackets, '[]', '');
  end loop;
  return brackets <> '';
end
$$;
