-- Tells whether a key takes the new way of a roll-out; set_rollout says how many do.
-- The same name and key always give the same answer while the percentage stays; raising it takes no key out. The key's
-- number from 0 to 9999 is below percent * 100: the first four bytes of sha256(name, a zero byte, key) in UTF-8, as an
-- unsigned integer, modulo 10000. A name that was never set is off, so that a trigger that asks for it never fails. A
-- null key is in the roll-out only if that is on. Nothing is cached: a change holds from its commit on.
create or replace function holdfast.in_rollout(name text, key text)
returns boolean
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  select coalesce(
    (
      select r.percent = 100 or holdfast.rollout_bucket(in_rollout.name, in_rollout.key) < r.percent * 100
      from holdfast.rollouts as r
      where r.name = in_rollout.name
    ),
    false
  )
$$;
