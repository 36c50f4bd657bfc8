-- How many others share the work of a worker: requested successors, and live workers that will request theirs.
create or replace function holdfast.others_at_work(me holdfast.workers, out asked bigint, out living bigint)
language sql stable
as $$
  select
    (
      select count(*) from holdfast.continuations as c
      where c.taken_at is null and c.closed_at is null
        -- One that waits for a later time does nothing until then.
        and (c.sent > 0 or c.due_at <= holdfast.now())
        and c.queues = me.queues and c."group" = me."group" and c.run_id is not distinct from me.run_id
    ),
    (
      select count(*) from holdfast.workers as w
      where w.id <> me.id and w.continues and w.state = 'working' and not w.drain_asked
        and w.lease_until >= holdfast.now() and w.box_until >= holdfast.now()
        and w.queues = me.queues and w."group" = me."group" and w.run_id is not distinct from me.run_id
        and not exists (select from holdfast.continuations as c where c.worker_id = w.id)
    )
$$;
