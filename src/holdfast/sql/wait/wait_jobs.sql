-- running -> waiting | ready: parks jobs until a signal or their children arrive; it does not count as a failure.
-- details[i]: for ('signal:NAME' or 'children:NAME'), timeout (seconds), units. If it has arrived already, the job is
-- ready at once. A job whose timeout passes is ready too, and await_signal says timed_out.
-- Returns the ids that changed nothing, because the token is outdated.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.wait_jobs(ids uuid[], tokens uuid[], details jsonb[])
returns setof uuid
language sql volatile security definer
set search_path = holdfast, pg_temp
as $$
  select holdfast.settle_jobs(
    ids, tokens, array_fill('wait'::text, array[coalesce(cardinality(ids), 0)]), null, details)
$$;
