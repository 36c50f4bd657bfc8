-- A short hash that similar errors share: numbers, ids and quoted parts of the message do not count.
create or replace function holdfast.fingerprint(class text, error_type text, message text, place text)
returns text
language sql immutable parallel safe
as $$
  select left(
    md5(concat_ws(
      '|',
      class,
      error_type,
      regexp_replace(
        regexp_replace(
          regexp_replace(left(message, 500),
            $re$[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}|0x[0-9a-fA-F]+|\m[0-9a-fA-F]{12,}\M$re$, '#', 'g'),
          '"[^"]*"|''[^'']*''', '#', 'g'
        ),
        '[0-9]+', '#', 'g'
      ),
      place
    )),
    16
  )
$$;
