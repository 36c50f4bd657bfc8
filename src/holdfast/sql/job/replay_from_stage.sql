-- completed | rejected | cancelled | dead -> ready | waiting: the same job starts its next generation, at the given stage of its pipeline.
create or replace function holdfast.replay_from_stage(ids uuid[], stage text, reason text default null, actor text default null)
returns table (job_id uuid, result text)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
begin
  if stage is null then
    perform holdfast.refuse('HF002', 'No stage is given.', 'Name one, or call replay_jobs, which starts where each job ended.');
  end if;
  return query select r.* from holdfast.replay_each(ids, stage, reason, actor) as r;
end
$$;
comment on function holdfast.replay_from_stage(uuid[], text, text, text)
  is 'Starts ended jobs again at a stage of their pipeline, in the version they ended with; all or none, if one of them has no such stage. Otherwise as replay_jobs.';
