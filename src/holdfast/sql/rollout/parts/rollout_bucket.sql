-- Returns the number from 0 to 9999 of a key in a roll-out, the same on every server; the name is part of the hash, so
-- that the keys of one roll-out say nothing about those of another.
create or replace function holdfast.rollout_bucket(name text, key text)
returns bigint
language sql stable
as $$
  select ('x' || encode(substring(s.digest, 1, 4), 'hex'))::bit(32)::bigint % 10000
  from sha256(convert_to(name, 'utf8') || decode('00', 'hex') || convert_to(key, 'utf8')) as s (digest)
$$;
