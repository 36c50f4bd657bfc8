-- The seal over what a row of event_seals says of its day.
create or replace function holdfast.seal_of(s holdfast.event_seals)
returns text
language sql immutable parallel safe
as $$
  select encode(sha256(convert_to(jsonb_build_array(
    s.day - date '1970-01-01', s.after_id, s.through_id, s.events, s.digest, s.previous)::text, 'UTF8')), 'hex')
$$;
