-- Returns how many jobs of a queue may run at once whatever the number of workers, and what says so; null: no limit.
-- The least of a pause (0), the queue's max_concurrent and what the endpoints of its ready jobs admit
-- now.
create or replace function holdfast.queue_ceiling(of_queue text, out most integer, out limited_by text)
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  with called as (
    select distinct l.endpoint
    from holdfast.lanes as l
    where l.queue = of_queue
      and exists (select from holdfast.jobs as j where j.lane = l.lane and j.state = 'ready')
  ), permitted as (
    select
      c.endpoint, e.name is not null as is_known,
      case when e.held_open and e.fallback is null then 0 else floor(e.limit)::integer end as permits
    from called as c
    left join holdfast.endpoints as e on e.name = c.endpoint
  ), ceilings as (
    select 0 as most, 'all queues are paused' as words from holdfast.full_pause
    union all
    select 0, 'the queue is paused' from holdfast.queues as q where q.name = of_queue and q.paused_at is not null
    union all
    select l.max_concurrent, format('the queue runs at most %s at once', l.max_concurrent)
    from holdfast.limits as l
    where l.kind = 'queue' and l.name = of_queue and l.max_concurrent is not null
    union all
    -- A job that calls no endpoint needs no permit.
    select
      sum(p.permits)::integer,
      string_agg(format('%s admits %s', p.endpoint, p.permits), ', ' order by p.endpoint)
    from permitted as p
    having bool_and(p.is_known)
  )
  select c.most, c.words from ceilings as c order by c.most limit 1
$$;
