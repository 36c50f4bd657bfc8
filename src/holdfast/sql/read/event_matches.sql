-- Whether an event matches a filter of list_events.
create or replace function holdfast.event_matches(e holdfast.audit_view, filter jsonb)
returns boolean
language sql stable
as $$
  select coalesce(e.at >= (filter ->> 'since')::timestamptz, true)
    and coalesce(e.at < (filter ->> 'until')::timestamptz, true)
    and (not filter ? 'actor' or e.actor is not distinct from filter ->> 'actor')
    and (not filter ? 'login' or e.login = filter ->> 'login')
    and (not filter ? 'cause' or e.cause = filter ->> 'cause')
    and (not filter ? 'queue' or e.queue is not distinct from filter ->> 'queue')
    and (not filter ? 'job' or e.job_id::text is not distinct from lower(filter ->> 'job'))
$$;
