-- running -> rejected: ends jobs that the handler decided against; that is an answer, not a failure.
-- details[i]: reason, units. outputs[i] is stored like the output of a completed job. The job's stage in a pipeline
-- may turn a rejection into a retry or a dead letter (on_reject).
-- Returns the ids that changed nothing, because the token is outdated.
-- plan: no seqscan
create or replace function holdfast.reject_jobs(ids uuid[], tokens uuid[], details jsonb[], outputs json[] default null)
returns setof uuid
language sql volatile security definer
set search_path = holdfast, pg_temp
as $$
  select holdfast.settle_jobs(
    ids, tokens, array_fill('reject'::text, array[coalesce(cardinality(ids), 0)]), outputs, details)
$$;
