-- completed | rejected | cancelled | dead -> ready | waiting: starts ended jobs again, under the same id.
-- Counters of failures start at 0, attempt numbers continue, and the generation rises by one. A job of a pipeline
-- starts at the stage where it ended. result of each job: replayed, live (it has not ended), conflict (another job
-- holds its unique key), replaced (by replace_job) or not_found.
create or replace function holdfast.replay_jobs(ids uuid[], reason text default null, actor text default null)
returns table (job_id uuid, result text)
language sql volatile security definer
set search_path = holdfast, pg_temp
as $$
  select r.job_id, r.result from holdfast.replay_each(ids, null, reason, actor) as r
$$;
