-- Keeps the outputs of jobs that completed at a stage of their pipeline as outputs of that stage.
create or replace function holdfast.keep_last_outputs(ids uuid[], at timestamptz)
returns void
language sql volatile
as $$
  insert into holdfast.stage_outputs (
    job_id, generation, visit, stage, output, attempt, worker_id, started_at, ended_at
  )
  select h.id, h.generation, h.visit, h.stage, h.output, h.attempt, h.worker_id, h.started_at, at
  from holdfast.history as h
  where h.id = any (ids)
    and h.ended_at = at
    and h.stage is not null
    -- Without a worker an operator completed it, or the stages it fanned out to, which have kept their own outputs.
    and h.worker_id is not null
$$;
