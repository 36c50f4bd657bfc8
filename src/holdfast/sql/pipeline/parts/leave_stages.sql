-- Ends the stages of locked running jobs: keeps their outputs, deletes their checkpoints, gives their permits back.
-- plan: no seqscan, no bitmapscan, no nestloop, no mergejoin
create or replace function holdfast.leave_stages(entries holdfast.stage_entry[], ids uuid[], outputs json[])
returns void
language plpgsql volatile
as $$
#variable_conflict use_column
declare
  at         constant timestamptz := holdfast.now();
  leaving    constant uuid[] := array(select n.job_id from unnest(entries) as n);
  has_prices constant boolean := exists (select from holdfast.endpoints as e where e.price > 0);
  used       record;
begin
  with kept as (
    insert into holdfast.stage_outputs (
      job_id, generation, visit, stage, output, attempt, worker_id, started_at, ended_at, queue, task, pipeline,
      ready_at, retries, tries, units, cost
    )
    select
      j.id, j.generation, j.visit, coalesce(j.stage, ''), e.output, j.attempt, j.worker_id, j.started_at, at,
      j.queue, j.task, j.pipeline, j.rank_at + coalesce(j.lead, '0'), j.failures + j.losses,
      j.attempt - coalesce(j.attempts_before, 0),
      coalesce(coalesce(j.units, 0) + n.units, j.units) - coalesce(j.units_before, 0),
      case when has_prices then holdfast.cost_after(j, n.units, true) else j.cost end - coalesce(j.cost_before, 0)
    from holdfast.jobs as j
    join rows from (unnest(ids), unnest(outputs)) as e (end_id, output) on e.end_id = j.id
    join unnest(entries) as n on n.job_id = j.id
    where j.id = any (leaving)
    returning job_id, units, cost
  )
  insert into holdfast.run_deltas (run_id, units, cost)
  select j.run_id, sum(k.units), sum(k.cost)
  from kept as k
  join holdfast.jobs as j on j.id = k.job_id
  where j.id = any (leaving)
    and j.run_id is not null
    and (k.units is not null or k.cost is not null)
  group by j.run_id;
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
