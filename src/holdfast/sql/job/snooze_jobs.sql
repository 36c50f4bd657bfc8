-- running -> scheduled: postpones jobs; it does not count as a failure.
-- details[i]: delay (seconds), units. A job that is deferred for longer than its queue's max_wait without a break is
-- dead.
-- Returns the ids that changed nothing, because the token is outdated.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.snooze_jobs(ids uuid[], tokens uuid[], details jsonb[])
returns setof uuid
language sql volatile security definer
set search_path = holdfast, pg_temp
as $$
  select holdfast.settle_jobs(
    ids, tokens, array_fill('snooze'::text, array[coalesce(cardinality(ids), 0)]), null, details)
$$;
