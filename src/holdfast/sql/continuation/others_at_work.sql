-- How many others do the work of a worker: successors that are asked for, and live workers that will ask for theirs.
create or replace function holdfast.others_at_work(me holdfast.workers, out asked bigint, out living bigint)
language sql stable
as $$
  select
    (
      select count(*) from holdfast.continuations as c
      where c.taken_at is null and c.closed_at is null
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
comment on function holdfast.others_at_work(holdfast.workers)
  is 'How many successors are asked for beside a worker with the same queues, group and run, and how many such workers live that have asked for none.';
