-- Seals runs and cancels up to max of their live jobs; running ones are asked to stop. Their children are not touched.
-- Locked jobs are skipped. A run of which some are left gets an empty delta: close_runs looks at it again.
-- asked: how many were cancelled or asked; ended: those that have ended. The runs must differ.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.cancel_level(
  runs uuid[], max integer, reason text, actor text, out asked integer, out ended uuid[]
)
language plpgsql volatile
as $$
declare
  at     constant timestamptz := holdfast.now();
  said   constant text := left(holdfast.sanitise_text(reason), 2000);
  living holdfast.jobs[];
begin
  update holdfast.runs as r
  set sealed_at = coalesce(r.sealed_at, at),
      cancelled_at = case when r.ended_at is null then coalesce(r.cancelled_at, at) else r.cancelled_at end
  where r.id = any (runs);
  -- Run by run, by jobs_run: one look for all of them, in order, could walk the primary key. The inner limit bounds
  -- what is read of a run, the outer one the call.
  living := array(
    select l.job
    from unnest(runs) as u (run)
    cross join lateral (
      select j as job
      from holdfast.jobs as j
      where j.run_id = u.run
        and j.cancel_asked_at is null
      order by j.id
      limit max
      for update skip locked
    ) as l
    limit max
  );
  asked := cardinality(living);
  update holdfast.jobs as j
  set cancel_asked_at = at
  where j.id = any (array(select n.id from unnest(living) as n where n.state = 'running'));
  perform pg_notify('holdfast_cancel', w::text)
  from (select distinct n.worker_id from unnest(living) as n where n.state = 'running') as t (w);
  ended := array(select n.id from unnest(living) as n where n.state <> 'running');
  if cardinality(ended) > 0 then
    ended := holdfast.end_alone(
      ended, null, 'cancelled', null, array_fill(coalesce(said, 'cancelled'), array[cardinality(ended)]));
  end if;
  -- After the end, as cancel_jobs writes it: an audit trail has the change of state first.
  insert into holdfast.events (
    at, cause, job_id, run_id, queue, from_state, to_state, attempt, worker_id, actor, reason
  )
  select
    at, 'cancel', n.id, n.run_id, n.queue, n.state, case n.state when 'running' then 'running' else 'cancelled' end,
    n.attempt, n.worker_id, actor, said
  from unnest(living) as n;
  insert into holdfast.run_deltas (run_id)
  select r
  from unnest(runs) as r
  cross join lateral (
    select from holdfast.jobs as j where j.run_id = r and j.cancel_asked_at is null limit 1
  ) as remaining;
  insert into holdfast.events (at, cause, run_id, actor, reason, detail)
  select at, 'cancel_run', r, actor, said, jsonb_build_object('jobs', count(n.id))
  from unnest(runs) as r
  left join unnest(living) as n on n.run_id = r
  group by r;
end
$$;
