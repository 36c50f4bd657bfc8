-- Returns an ended job as if at another stage of its pipeline: with that stage's task, queue, lane and timeout.
create or replace function holdfast.put_at_stage(past holdfast.history, to_stage text)
returns holdfast.history
language plpgsql volatile
as $$
declare
  target holdfast.stages;
begin
  if past.pipeline is null then
    perform holdfast.refuse('HF002', format('The job %s is in no pipeline, so it cannot start from a stage.', past.id),
      case when past.stage is null then 'Replay the job without a stage.'
        else format('This job is a branch of the job %1$s. Replay the job %1$s from a stage, or replay this branch'
          ' without a stage.', past.parent_id)
      end);
  end if;
  select s.* into target
  from holdfast.stages as s
  where s.pipeline = past.pipeline and s.version = past.pipeline_version and s.stage = to_stage;
  if not found then
    perform holdfast.refuse('HF002', format('The job %s uses version %s of the pipeline %s, which has no stage %s.',
        past.id, past.pipeline_version, past.pipeline, to_stage),
      format('The stages of this version are %s.', (
        select string_agg(s.stage, ', ' order by s.place)
        from holdfast.stages as s
        where s.pipeline = past.pipeline and s.version = past.pipeline_version)));
  end if;
  if to_stage <> past.stage then
    -- Checkpoints belong to a stage: another one may use the same names.
    delete from holdfast.checkpoints as c where c.job_id = past.id;
  end if;
  past.stage := target.stage;
  past.task := target.task;
  past.queue := target.queue;
  past.lane := target.lane;
  past.timeout := holdfast.read_interval(holdfast.stage_detail(target) -> 'timeout');
  return past;
end
$$;
