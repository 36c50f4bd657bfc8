-- What a locked running job leaves behind with its stage: the output, no checkpoints, and its permit.
create or replace function holdfast.leave_stage(job holdfast.jobs, output json, detail jsonb)
returns void
language plpgsql volatile
as $$
begin
  insert into holdfast.stage_outputs (job_id, generation, visit, stage, output, attempt, worker_id, started_at, ended_at)
  values (job.id, job.generation, job.visit, coalesce(job.stage, ''), output, job.attempt, job.worker_id, job.started_at, holdfast.now());
  -- What a stage saved is not the next one's: both may use the same names.
  delete from holdfast.checkpoints as c where c.job_id = job.id;
  perform holdfast.charge_call(job, holdfast.read_number(detail -> 'units'));
end
$$;
comment on function holdfast.leave_stage(holdfast.jobs, json, jsonb) is 'Keeps the output of a stage, forgets its checkpoints and gives its permit back.';
