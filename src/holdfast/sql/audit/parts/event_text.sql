-- An event as its digest reads it: the same on every version and with any setting of a session.
create or replace function holdfast.event_text(e holdfast.events)
returns text
language sql immutable parallel safe
as $$
  select jsonb_build_array(
    e.id, extract(epoch from e.at)::text, e.cause, e.job_id::text, e.run_id::text, e.queue, e.from_state, e.to_state,
    e.attempt, e.worker_id::text, e.actor, e.reason, e.detail, e.login)::text
$$;
