-- A key that a valid payload has twice in one object, or null. A quick check finds candidates for the full one.
create or replace function holdfast.repeated_key(document text)
returns text
language sql immutable parallel safe
as $$
  select case
    -- jsonb drops one of two equal keys, and its quotes. It writes \u0022 as a quote, so such texts are read in full.
    when document like '%:%:%' and (
      strpos(document, $re$\u0022$re$) > 0
      or cardinality(string_to_array(document, '"')) <> cardinality(string_to_array(document::jsonb::text, '"'))
    )
    then holdfast.scan_keys(document)
  end
$$;
