-- The outputs of jobs that completed at a stage of their pipeline are outputs of that stage, too.
create or replace function holdfast.keep_last_outputs(ids uuid[], at timestamptz)
returns void
language sql volatile
as $$
  insert into holdfast.stage_outputs (job_id, generation, visit, stage, output, attempt, worker_id, started_at, ended_at)
  select h.id, h.generation, h.visit, h.stage, h.output, h.attempt, h.worker_id, h.started_at, at
  from holdfast.history as h
  where h.id = any (ids)
    and h.ended_at = at
    and h.stage is not null
    -- Otherwise it was completed by hand, or by the stages that it fanned out to, which have left their own.
    and h.worker_id is not null
$$;
comment on function holdfast.keep_last_outputs(uuid[], timestamptz) is 'Keeps the outputs of jobs that completed at a stage of their pipeline.';
