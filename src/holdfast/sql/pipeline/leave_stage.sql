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
  if job.in_flight_at_start is not null then
    perform holdfast.settle_permits(
      array[array[coalesce(job.permit_lane, job.lane), extract(epoch from job.started_at), job.in_flight_at_start, job.is_probe::integer, job.estimate, holdfast.read_number(detail -> 'units')]::double precision[]],
      true);
  end if;
  if job.reserved is not null then
    perform holdfast.record_cost(job.run_id, coalesce(job.permit_lane, job.lane), coalesce(holdfast.read_number(detail -> 'units'), job.estimate));
  end if;
end
$$;
comment on function holdfast.leave_stage(holdfast.jobs, json, jsonb) is 'Keeps the output of a stage, forgets its checkpoints and gives its permit back.';
