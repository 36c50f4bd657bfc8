-- completed | rejected | cancelled | dead -> ready | waiting: the same job starts its next generation, at the stage where it ended.
create or replace function holdfast.replay_jobs(ids uuid[], reason text default null, actor text default null)
returns table (job_id uuid, result text)
language sql volatile security definer
set search_path = holdfast, pg_temp
as $$
  select r.job_id, r.result from holdfast.replay_each(ids, null, reason, actor) as r
$$;
comment on function holdfast.replay_jobs(uuid[], text, text)
  is 'Starts ended jobs again under the same id: each is replayed, live (not ended), in conflict (its unique key is taken), replaced (by another job) or not_found.';
