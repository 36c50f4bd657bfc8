-- What happened in a span of time: one row per stage visit that ended, attempt that went wrong and call; the new jobs
-- by queue and task.
create or replace function holdfast.countable(since timestamptz, until timestamptz)
returns table (
  what text, queue text, task text, pipeline text, stage text, state text, name text, jobs integer, retries integer,
  tries integer, units double precision, cost double precision, wait interval, run interval
)
language sql stable
as $$
  select
    'end', e.queue, e.task, e.pipeline, e.stage, e.state, '', 1, e.retries, e.tries, e.units, e.cost, e.wait, e.run
  from holdfast.ended_visits(since, until) as e
  union all
  select
    'label', l.queue, l.task, '', '', l.state, l.name, 1, l.retries, l.tries, l.units, l.cost, l.wait, l.run
  from holdfast.labelled_ends(since, until) as l
  union all
  select
    'attempt', a.queue, a.task, coalesce(a.pipeline, ''), coalesce(a.stage, ''),
    -- Whether a loss is forgiven later does not change that it happened.
    case a.outcome when 'forgiven' then 'lost' else a.outcome end,
    coalesce(a.class, ''), 1, 0, 0, null, null, null, a.ended_at - a.started_at
  from holdfast.attempts as a
  where a.ended_at >= since and a.ended_at < until
  union all
  select
    'call', c.queue, c.task, coalesce(c.pipeline, ''), coalesce(c.stage, ''),
    c.kind || case when c.error is null then '' else '_error' end, c.name, 1, 0, 0, c.units, c.cost, null,
    make_interval(secs => c.seconds)
  from holdfast.calls as c
  where c.at >= since and c.at < until
  union all
  -- The queue and the task of a job in a pipeline change.
  select
    'enqueue', case when n.pipeline is null then n.queue else '' end,
    case when n.pipeline is null then n.task else '' end, coalesce(n.pipeline, ''), '', '', '', count(*)::integer, 0, 0,
    null, null, null, null
  from (
    select j.queue, j.task, j.pipeline
    from holdfast.jobs as j
    where j.id >= holdfast.id_at(since) and j.id < holdfast.id_at(until)
    union all
    select h.queue, h.task, h.pipeline
    from holdfast.history as h
    where h.id >= holdfast.id_at(since) and h.id < holdfast.id_at(until)
  ) as n
  group by n.queue, n.task, n.pipeline
$$;
