-- The newest live and the newest ended jobs, up to a number of each, in one shape: what the invariants look at.
create or replace function holdfast.newest_jobs(max integer)
returns table (
  id uuid, is_live boolean, state text, queue text, task text, attempt integer, failures integer, losses integer,
  generation integer, visit integer, worker_id uuid, token uuid, started_at timestamptz, ended_at timestamptz,
  run_id uuid, order_key text, unique_scope text, unique_key text, max_failures smallint, retry jsonb,
  deferrals integer, order_seq bigint, pipeline text
)
language sql stable
as $$
  (
    select
      j.id, true, j.state, j.queue, j.task, j.attempt, j.failures, j.losses, j.generation, j.visit, j.worker_id,
      j.token, j.started_at, null::timestamptz, j.run_id, j.order_key, j.unique_scope, j.unique_key, j.max_failures,
      j.retry, j.deferrals, j.order_seq, j.pipeline
    from holdfast.jobs as j
    order by j.id desc
    limit max
  )
  union all
  (
    select
      h.id, false, h.state, h.queue, h.task, h.attempt, h.failures, h.losses, h.generation, h.visit, h.worker_id,
      h.token, h.started_at, h.ended_at, h.run_id, h.order_key, h.unique_scope, h.unique_key, h.max_failures, h.retry,
      h.deferrals, h.order_seq, h.pipeline
    from holdfast.history as h
    order by h.id desc
    limit max
  )
$$;
