-- completed | rejected | cancelled | dead -> ready | waiting: starts ended jobs again at a stage of their pipeline.
-- The stage is looked up in the version of the pipeline that each job ended with. If one of the jobs has no such
-- stage, none is replayed. Otherwise as replay_jobs.
create or replace function holdfast.replay_from_stage(
  ids uuid[], stage text, reason text default null, actor text default null
)
returns table (job_id uuid, result text)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
begin
  if stage is null then
    perform holdfast.refuse('HF002', 'stage must not be null.',
      'Name a stage, or call holdfast.replay_jobs, which restarts each job at the stage where the job ended.');
  end if;
  return query select r.* from holdfast.replay_each(ids, stage, reason, actor) as r;
end
$$;
