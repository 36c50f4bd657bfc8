-- running -> completed: ends jobs and stores their outputs.
-- ids, tokens and outputs are parallel arrays. details[i] may hold {"units": used}; without it a call to an endpoint
-- is taken to have used its estimate. Returns the ids that changed nothing, because the token is outdated: another
-- worker has that job.
-- plan: no seqscan
create or replace function holdfast.complete_jobs(
  ids uuid[], tokens uuid[], outputs json[], details jsonb[] default null
)
returns setof uuid
language sql volatile security definer
set search_path = holdfast, pg_temp
as $$
  select holdfast.settle_jobs(
    ids, tokens, array_fill('complete'::text, array[coalesce(cardinality(ids), 0)]), outputs, details)
$$;
