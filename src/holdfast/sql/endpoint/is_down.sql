-- Whether an endpoint that starts no call for the given reason is down, so that its fallback takes over. At its limit it is not.
create or replace function holdfast.is_down(e holdfast.endpoints, reason text)
returns boolean
language sql immutable
as $$
  -- Failures in a row block it for seconds: that is no outage yet.
  select coalesce(reason in ('held_open', 'circuit_open', 'probing') or reason = 'blocked' and e.streak < 2, false)
$$;
comment on function holdfast.is_down(holdfast.endpoints, text) is 'Whether an endpoint that starts no call for the given reason is down, so that its fallback takes over.';
