-- (nothing) -> asked: requests one worker for a run that lost jobs, where workers are started by callback.
create or replace function holdfast.request_recovery(run uuid, worker uuid)
returns void
language sql volatile
as $$
  insert into holdfast.continuations (id, cause, worker_id, run_id, "group", queues, link, claim_size, asked_at, due_at)
  select
    holdfast.new_id(holdfast.now()), 'rescue',
    -- It also counts as the successor of the lost worker, unless that has one already.
    case when not exists (select from holdfast.continuations as c where c.worker_id = w.id) then w.id end,
    run, w."group", w.queues, coalesce(w.link, 0) + 1, w.claim_size, holdfast.now(), holdfast.now()
  from holdfast.workers as w
  where w.id = worker
    and not w.drain_asked
    and (w.continues or exists (select from holdfast.continuations as c where c.run_id = run and c.cause = 'run'))
  on conflict do nothing
$$;
