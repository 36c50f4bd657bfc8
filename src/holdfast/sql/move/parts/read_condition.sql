-- Reads the condition of a pair; raises an error if it is no predicate that is quick to evaluate.
create or replace function holdfast.read_condition(given text)
returns jsonpath
language plpgsql stable
as $$
declare
  path jsonpath;
begin
  if octet_length(given) > 1024 then
    perform holdfast.refuse('HF002', 'condition must not be longer than 1024 bytes.',
      'Test one or two fields of the payload.');
  end if;
  path := given::jsonpath;
  -- Both may take very long for a payload that is made for it. Strings may contain the words.
  if regexp_replace(path::text, $re$"([^"\\]|\\.)*"$re$, '""', 'g') ~ $re$like_regex|\*\*$re$ then
    perform holdfast.refuse('HF002', 'condition must not use like_regex or **.',
      'Name the field, and compare it by ==, <, > or starts with.');
  end if;
  return path;
exception
  when syntax_error or invalid_text_representation then
    raise exception using
      errcode = 'HF002',
      message = format('condition is not a JSON path: %s.', sqlerrm),
      hint = 'Write a predicate over the payload, such as $.size == "medium".';
end
$$;
