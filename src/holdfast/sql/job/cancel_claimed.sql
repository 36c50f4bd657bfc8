-- running -> cancelled: ends jobs whose handler stopped after a cancel request.
-- details[i]: reason, units. Returns the ids that changed nothing, because the token is outdated.
-- plan: no seqscan
create or replace function holdfast.cancel_claimed(ids uuid[], tokens uuid[], details jsonb[])
returns setof uuid
language sql volatile security definer
set search_path = holdfast, pg_temp
as $$
  select holdfast.settle_jobs(
    ids, tokens, array_fill('cancel'::text, array[coalesce(cardinality(ids), 0)]), null, details)
$$;
