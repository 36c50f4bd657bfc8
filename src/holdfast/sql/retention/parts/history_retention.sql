-- How long an ended job stays in history if its queue sets no retention. prune_jobs deletes older jobs.
create or replace function holdfast.history_retention()
returns interval
language sql immutable parallel safe
as $$
  select interval '30 days'
$$;
