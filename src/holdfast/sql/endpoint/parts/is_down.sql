-- Whether the reason that no call starts means that the endpoint is down, so that its fallback takes over.
create or replace function holdfast.is_down(e holdfast.endpoints, reason text)
returns boolean
language sql immutable
as $$
  -- Two failures in a row block it for seconds; that is no outage yet.
  select coalesce(reason in ('held_open', 'circuit_open', 'probing') or reason = 'blocked' and e.streak < 2, false)
$$;
