-- A key that a payload without other problems has twice in one object, or null. The quick look suspects; only then is it read key by key.
create or replace function holdfast.repeated_key(document text)
returns text
language sql immutable parallel safe
as $$
  select case
    -- jsonb keeps one of two equal keys, and with it fewer quotes. What is written \u0022 it writes as a quote.
    when document like '%:%:%' and (
      strpos(document, $re$\u0022$re$) > 0
      or cardinality(string_to_array(document, '"')) <> cardinality(string_to_array(document::jsonb::text, '"'))
    )
    then holdfast.find_repeated_key(document)
  end
$$;
comment on function holdfast.repeated_key(text) is 'A key that JSON text has twice in one object, with its path, or null.';
