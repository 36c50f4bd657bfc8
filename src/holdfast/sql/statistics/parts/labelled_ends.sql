-- The ended jobs of queues that count by a label, with its value; beyond 50 values per queue: (other).
create or replace function holdfast.labelled_ends(since timestamptz, until timestamptz)
returns table (
  queue text, task text, state text, name text, retries integer, tries integer,
  units double precision, cost double precision, wait interval, run interval
)
language sql stable
as $$
  with labelled as materialized (
    select e.*, left(coalesce(e.labels ->> q.stats_label, '(none)'), 200) as value
    from holdfast.ended_visits(since, until) as e
    join holdfast.queues as q on q.name = e.queue
    where e.state <> 'advanced'
      and q.stats_label is not null
      and exists (select from holdfast.queues as any_queue where any_queue.stats_label is not null)
  ), ranked as (
    select c.queue, c.value, row_number() over (partition by c.queue order by c.jobs desc, c.value) as place
    from (
      select l.queue, l.value, count(*) as jobs
      from labelled as l
      group by 1, 2
    ) as c
  )
  select
    l.queue, l.task, l.state, case when r.place <= 50 then l.value else '(other)' end, l.retries, l.tries,
    l.units, l.cost, l.wait, l.run
  from labelled as l
  join ranked as r on r.queue = l.queue and r.value = l.value
$$;
