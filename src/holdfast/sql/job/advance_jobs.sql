-- running -> ready | scheduled: completes a stage, keeps its output, and moves the job to the next, in one statement.
create or replace function holdfast.advance_jobs(ids uuid[], tokens uuid[], outputs json[], details jsonb[])
returns setof uuid
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  at    constant timestamptz := holdfast.now();
  moved uuid[];
begin
  perform holdfast.record_moves(ids, 'advance', 'ready');
  with leaving as materialized (
    select j.*, details[array_position(ids, j.id)] as d, outputs[array_position(ids, j.id)] as output
    from holdfast.jobs as j
    where j.id = any (ids)
      and j.token = tokens[array_position(ids, j.id)]
    order by j.id
    for update
  ), kept as (
    insert into holdfast.stage_outputs (job_id, generation, visit, stage, output, attempt, worker_id, started_at, ended_at)
    select id, generation, visit, coalesce(stage, ''), output, attempt, worker_id, started_at, at from leaving
  ), moved as (
    update holdfast.jobs as j
    set state = case when l.d ? 'delay' then 'scheduled' else 'ready' end,
        rank_at = case when not l.d ? 'delay' then at - coalesce(j.lead, '0') end,
        due_at = at + holdfast.read_interval(l.d -> 'delay'),
        stage = l.d ->> 'stage',
        task = coalesce(l.d ->> 'task', j.task),
        queue = coalesce(l.d ->> 'queue', j.queue),
        lane = holdfast.find_lane(coalesce(l.d ->> 'queue', j.queue), l.d ->> 'endpoint', l.d ->> 'group'),
        visit = j.visit + 1,
        units = case when l.d ? 'units' then coalesce(j.units, 0) + holdfast.read_number(l.d -> 'units') else j.units end,
        failures = 0,
        losses = 0,
        deferrals = 0,
        deferred_since = null,
        worker_id = null,
        token = null,
        started_at = null,
        stop_at = null
    from leaving as l
    where j.id = l.id
      and j.id = any (ids)
    returning j.id, j.queue
  )
  select array_agg(id) into moved from moved;
  perform holdfast.notify_ready(array(select distinct j.queue from holdfast.jobs as j where j.id = any (moved)));
  return query select i from unnest(ids) as i where i <> all (coalesce(moved, '{}'));
end
$$;
comment on function holdfast.advance_jobs(uuid[], uuid[], json[], jsonb[]) is 'Completes a stage of running jobs and readies the next; returns those that were lost.';
