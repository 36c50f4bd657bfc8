-- The stage visits that ended in a span of time, one row each; a job without stages has one visit.
-- A visit ends with the job, or because the job went on to another stage.
create or replace function holdfast.ended_visits(since timestamptz, until timestamptz)
returns table (
  ended_at timestamptz, queue text, task text, pipeline text, stage text, state text, retries integer, tries integer,
  units double precision, cost double precision, wait interval, run interval, labels jsonb
)
language sql stable
as $$
  select
    e.ended_at, e.queue, e.task,
    case
      when e.stage is null then coalesce(e.pipeline, '')
      else coalesce(holdfast.pipeline_of(e.pipeline, e.stage, e.parent_id), '')
    end,
    -- Without a worker the branches of a job completed it, and each of them counts for its stage.
    case when e.state = 'completed' and e.worker_id is null then '' else coalesce(e.stage, '') end,
    e.state,
    -- The failure that made a job dead was not retried.
    greatest(0, e.failures + e.losses - (e.state = 'dead')::integer),
    e.attempt - coalesce(e.attempts_before, 0),
    e.units - coalesce(e.units_before, 0), e.cost - coalesce(e.cost_before, 0),
    e.started_at - e.ready_at, e.ended_at - e.started_at, e.labels
  from (
    select
      h.ended_at, h.state, h.queue, h.task, h.pipeline, h.stage, h.parent_id, h.worker_id, h.ready_at, h.started_at,
      h.attempt, h.failures, h.losses, h.units, h.cost, h.attempts_before, h.units_before, h.cost_before, h.labels
    from holdfast.history as h
    where h.ended_at >= since and h.ended_at < until
    union all
    select
      r.ended_at, r.state, r.queue, r.task, r.pipeline, r.stage, r.parent_id, r.worker_id, r.ready_at, r.started_at,
      r.attempt, r.failures, r.losses, r.units, r.cost, r.attempts_before, r.units_before, r.cost_before, r.labels
    from holdfast.replayed_ends as r
    where r.ended_at >= since and r.ended_at < until
  ) as e
  union all
  select
    s.ended_at, s.queue, s.task, coalesce(s.pipeline, ''), s.stage, 'advanced', s.retries, s.tries, s.units, s.cost,
    s.started_at - s.ready_at, s.ended_at - s.started_at, null
  from holdfast.stage_outputs as s
  where s.ended_at >= since and s.ended_at < until
    and s.queue is not null
$$;
