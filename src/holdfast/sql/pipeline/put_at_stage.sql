-- An ended job as it would be at another stage of its pipeline: task, queue, lane and timeout are the stage's.
create or replace function holdfast.put_at_stage(past holdfast.history, to_stage text)
returns holdfast.history
language plpgsql volatile
as $$
declare
  target holdfast.stages;
begin
  if past.pipeline is null then
    perform holdfast.refuse('HF002', format('The job %s is in no pipeline, so it has no stage to start from.', past.id),
      case when past.stage is null then 'Replay it without a stage.'
        else format('It is a branch of the job %s: replay that one from a stage, or this one without.', past.parent_id) end);
  end if;
  select s.* into target
  from holdfast.stages as s
  where s.pipeline = past.pipeline and s.version = past.pipeline_version and s.stage = to_stage;
  if not found then
    perform holdfast.refuse('HF002', format('Version %s of the pipeline %s, which the job %s is on, has no stage %s.',
        past.pipeline_version, past.pipeline, past.id, to_stage),
      format('Its stages are %s.', (
        select string_agg(s.stage, ', ' order by s.place)
        from holdfast.stages as s
        where s.pipeline = past.pipeline and s.version = past.pipeline_version)));
  end if;
  if to_stage <> past.stage then
    -- What a stage saved is not another's: both may use the same names.
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
comment on function holdfast.put_at_stage(holdfast.history, text) is 'An ended job as it would be at another stage of its pipeline.';
