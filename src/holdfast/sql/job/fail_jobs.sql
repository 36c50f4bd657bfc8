-- running -> scheduled | dead | cancelled: records failed attempts and retries, defers or dead-letters the jobs.
-- details[i]: class (transient, rate_limited, permanent or system), type, message, place, traceback, retry_after
-- (seconds), units, evidence (good, bad or none: what the failure says about the endpoint).
-- A transient failure is retried by the retry policy until max_failures is reached; a permanent one is dead at once;
-- rate_limited and system are deferred and not counted, for up to the queue's max_wait.
-- Returns the ids that changed nothing, because the token is outdated.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.fail_jobs(ids uuid[], tokens uuid[], details jsonb[])
returns setof uuid
language sql volatile security definer
set search_path = holdfast, pg_temp
as $$
  select holdfast.settle_jobs(
    ids, tokens, array_fill('fail'::text, array[coalesce(cardinality(ids), 0)]), null, details)
$$;
