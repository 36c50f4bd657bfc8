-- Whether a text is a W3C traceparent: version, trace id, span id and flags. Version ff and ids of zeros are invalid.
create or replace function holdfast.is_traceparent(value text)
returns boolean
language sql immutable parallel safe
as $$
  select value ~ '^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$'
$$;
