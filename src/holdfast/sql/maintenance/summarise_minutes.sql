-- history -> end_counts: counts what ended in a span of whole minutes; stored counts only grow.
-- plan: no seqscan
create or replace function holdfast.summarise_minutes(since timestamptz, until timestamptz)
returns integer
language plpgsql volatile
as $$
declare
  written integer;
begin
  insert into holdfast.end_counts as c (minute, queue, task, state, jobs, retried, wait_tens, run_tens)
  select
    t.minute, t.queue, t.task, t.state,
    sum(t.jobs) filter (where t.kind = 'run'), sum(t.retried) filter (where t.kind = 'run'),
    coalesce(jsonb_object_agg(t.tenth, t.jobs) filter (where t.kind = 'wait' and t.tenth is not null), '{}'),
    coalesce(jsonb_object_agg(t.tenth, t.jobs) filter (where t.kind = 'run' and t.tenth is not null), '{}')
  from (
    select
      date_trunc('minute', h.ended_at) as minute, h.queue, h.task, h.state, kind.kind,
      holdfast.duration_bucket(kind.took) as tenth, count(*) as jobs,
      -- The failure that made a job dead was not retried.
      count(*) filter (where h.failures + h.losses > (h.state = 'dead')::integer) as retried
    from holdfast.history as h
    cross join lateral (
      values ('wait', h.started_at - h.ready_at), ('run', h.ended_at - h.started_at)
    ) as kind (kind, took)
    where h.ended_at >= since and h.ended_at < until
    group by 1, 2, 3, 4, 5, 6
  ) as t
  group by t.minute, t.queue, t.task, t.state
  on conflict on constraint end_counts_pkey do update
    set jobs = excluded.jobs, retried = excluded.retried, wait_tens = excluded.wait_tens, run_tens = excluded.run_tens
    -- A replay removes a job from history, but it did end.
    where c.jobs < excluded.jobs;
  get diagnostics written = row_count;
  return written;
end
$$;
