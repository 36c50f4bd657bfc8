-- (nothing) -> asked: one worker for a run whose jobs were lost with a worker that something starts by callback.
create or replace function holdfast.ask_recovery(run uuid, worker uuid)
returns void
language sql volatile
as $$
  insert into holdfast.continuations (id, cause, worker_id, run_id, "group", queues, link, claim_size, asked_at, due_at)
  select
    holdfast.new_id(holdfast.now()), 'rescue',
    -- It is this worker's successor too, unless that one has one already.
    case when not exists (select from holdfast.continuations as c where c.worker_id = w.id) then w.id end,
    run, w."group", w.queues, coalesce(w.link, 0) + 1, w.claim_size, holdfast.now(), holdfast.now()
  from holdfast.workers as w
  where w.id = worker
    and not w.drain_asked
    and (w.continues or exists (select from holdfast.continuations as c where c.run_id = run and c.cause = 'run'))
  on conflict do nothing
$$;
comment on function holdfast.ask_recovery(uuid, uuid) is 'Asks for one worker for a run that lost jobs, where workers are started by callback.';
