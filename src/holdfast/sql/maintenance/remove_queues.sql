-- queues -> (nothing): unused ones that were not declared or paused, and are named by no policy, worker or lane.
create or replace function holdfast.remove_queues(max integer)
returns integer
language plpgsql volatile
as $$
declare
  at   constant timestamptz := holdfast.now();
  idle constant text[] := array(
    select q.name
    from holdfast.queues as q
    where q.expires_at < at
    order by q.expires_at
    limit max
    for update skip locked);
  gone text[];
begin
  if cardinality(idle) = 0 then
    return 0;
  end if;
  with named as materialized (
    select t.queue as name from holdfast.tasks as t where t.queue is not null
    union
    select s.queue from holdfast.stages as s
    union
    select u from holdfast.workers as w cross join unnest(w.queues) as u
    union
    select k from holdfast.endpoints as e cross join jsonb_object_keys(e.shares) as k where e.shares <> '{}'
    union
    select u from holdfast.rebalance_pairs as r cross join unnest(array[r.from_queue, r.to_queue]) as u
  ), removed as (
    delete from holdfast.queues as q
    where q.name = any (idle)
      and q.expires_at is not null
      and q.paused_at is null
      and not exists (select from named as n where n.name = q.name)
      and not exists (select from holdfast.lanes as l where l.queue = q.name)
    returning q.name
  ), noted as (
    insert into holdfast.events (at, cause, queue, reason)
    select at, 'remove_queue', r.name, 'It was never declared, and was unused for thirty days.' from removed as r
  )
  select coalesce(array_agg(r.name), '{}') into gone from removed as r;
  update holdfast.queues as q set expires_at = at + interval '1 day' where q.name = any (idle);
  return cardinality(gone);
end
$$;
