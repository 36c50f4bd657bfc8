-- The next stage of a locked job: the one its handler names, else the next in order. No row after the last.
create or replace function holdfast.next_stage(job holdfast.jobs, asked text)
returns setof holdfast.stages
language plpgsql stable
as $$
declare
  found_stage holdfast.stages;
  entered     integer;
begin
  select s.* into found_stage
  from holdfast.stages as s
  where s.pipeline = job.pipeline
    and s.version = job.pipeline_version
    and s.stage = coalesce(asked, (
      select c.next from holdfast.stages as c
      where c.pipeline = job.pipeline and c.version = job.pipeline_version and c.stage = job.stage
    ));
  if not found and asked is not null then
    perform holdfast.refuse('HF002',
      format('version %s of the pipeline %s has no stage %s', job.pipeline_version, job.pipeline, asked));
  elsif not found then
    return;
  end if;
  if job.visit >= found_stage.max_visits then
    select count(*) + (job.stage = found_stage.stage)::integer into entered
    from holdfast.stage_outputs as o
    where o.job_id = job.id and o.generation = job.generation and o.stage = found_stage.stage;
    if entered >= found_stage.max_visits then
      perform holdfast.refuse('HF002', format('the job has entered the stage "%s" %s times, and max_visits of the stage'
        ' is %s', found_stage.stage, entered, found_stage.max_visits));
    end if;
  end if;
  return next found_stage;
end
$$;
