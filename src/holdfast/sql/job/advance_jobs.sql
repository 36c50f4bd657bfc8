-- running -> ready | scheduled | waiting | completed: ends a stage of jobs and moves each to its next stage.
-- outputs[i] is stored as the output of the stage. details[i]: stage (another one than the next in order), stages (fan
-- out to several), and what shall differ from the declaration: task, queue, endpoint, group, priority, delay, timeout,
-- units.
-- After the last stage the job is completed. A stage that does not exist, or was entered more than max_visits times,
-- makes the job dead. Returns the ids that changed nothing, because the token is outdated.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.advance_jobs(ids uuid[], tokens uuid[], outputs json[], details jsonb[])
returns setof uuid
language sql volatile security definer
set search_path = holdfast, pg_temp
as $$
  select holdfast.settle_jobs(
    ids, tokens, array_fill('advance'::text, array[coalesce(cardinality(ids), 0)]), outputs, details)
$$;
