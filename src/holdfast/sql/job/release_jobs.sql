-- running -> ready: gives jobs back unfinished; it does not count as a failure.
-- details[i]: units, reason, and yielded (true if the handler stopped at a good place by itself). After five releases
-- in a row without a yield or a new checkpoint the job is a suspect, which runs alone in a worker.
-- Returns the ids that changed nothing, because the token is outdated.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.release_jobs(ids uuid[], tokens uuid[], details jsonb[] default null)
returns setof uuid
language sql volatile security definer
set search_path = holdfast, pg_temp
as $$
  -- Without details the call is not from the worker that ran them, so only recorded calls are known.
  select holdfast.settle_jobs(
    ids, tokens, array_fill('release'::text, array[n]), null,
    coalesce(details, array_fill('{"units": "recorded"}'::jsonb, array[n])))
  from coalesce(cardinality(ids), 0) as n
$$;
