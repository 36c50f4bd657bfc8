-- Ends the stages of locked running jobs: keeps their outputs, deletes their checkpoints, gives their permits back.
-- plan: no seqscan, no bitmapscan, no nestloop, no mergejoin
create or replace function holdfast.leave_stages(entries holdfast.stage_entry[], ids uuid[], outputs json[])
returns void
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  leaving constant uuid[] := array(select n.job_id from unnest(entries) as n);
  used    record;
begin
  insert into holdfast.stage_outputs (
    job_id, generation, visit, stage, output, attempt, worker_id, started_at, ended_at
  )
  select
    j.id, j.generation, j.visit, coalesce(j.stage, ''), e.output, j.attempt, j.worker_id, j.started_at, holdfast.now()
  from holdfast.jobs as j
  join rows from (unnest(ids), unnest(outputs)) as e (end_id, output) on e.end_id = j.id
  where j.id = any (leaving);
  -- Checkpoints belong to a stage: the next one may use the same names.
  delete from holdfast.checkpoints as c where c.job_id = any (leaving);
  select
    array_agg(holdfast.permit_of(j, n.units)) filter (where j.in_flight_at_start is not null) as permits,
    jsonb_agg(holdfast.cost_of(j, n.units, true)) filter (where j.reserved is not null) as costs
  into used
  from holdfast.jobs as j
  join unnest(entries) as n on n.job_id = j.id
  where j.id = any (leaving)
    and (j.in_flight_at_start is not null or j.reserved is not null);
  if used.permits is not null then
    perform holdfast.settle_permits(used.permits, true);
  end if;
  if used.costs is not null then
    perform holdfast.record_costs(used.costs);
  end if;
end
$$;
