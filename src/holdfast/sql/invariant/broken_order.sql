-- Violations of: jobs of one order key run one at a time, in the order of their commits.
create or replace function holdfast.broken_order(max integer)
returns table (name text, job uuid, detail text)
language sql stable
as $$
  with lined as materialized (
    select j.id, j.order_key, j.order_seq, coalesce(j.waits_for = 'order', false) as is_behind
    from holdfast.jobs as j
    where j.order_key is not null
    order by j.order_key, j.order_seq
    limit max
  ), ran as materialized (
    select
      n.id, n.order_key, n.order_seq, n.started_at, lag(n.ended_at) over by_start as before,
      -- Jobs that ended at the same time may have ended in any order.
      max(n.order_seq) over by_end as highest
    from holdfast.newest_jobs(max) as n
    where n.order_key is not null
      and n.started_at is not null
    window
      by_start as (partition by n.order_key order by n.started_at, n.order_seq),
      by_end as (
        partition by n.order_key order by coalesce(n.ended_at, 'infinity'), n.order_seq
        rows between unbounded preceding and 1 preceding
      )
  )
  select 'order_key_twice', null::uuid, format('%s jobs of order key %s may run', count(*), l.order_key)
  from lined as l
  where not l.is_behind
  group by l.order_key
  having count(*) > 1
  union all
  select 'overtaken', l.id, format('it waits behind order key %s, a later one may run', l.order_key)
  from lined as l
  where l.is_behind
    and exists (
      select from lined as o
      where o.order_key = l.order_key and not o.is_behind and o.order_seq > l.order_seq)
  union all
  select 'order_without_line', l.id, format('order key %s has no line', l.order_key)
  from lined as l
  where not exists (select from holdfast.order_keys as k where k.key = l.order_key offset 0)
  union all
  select 'line_without_head', k.head, format('the head of order key %s is gone or waits', k.key)
  from (select o.* from holdfast.order_keys as o order by o.key limit max) as k
  left join lateral (select t.id, t.waits_for from holdfast.jobs as t where t.id = k.head offset 0) as j on true
  where (j.id is null or j.waits_for = 'order')
    and not exists (select from holdfast.order_releases as r where r.key = k.key)
  union all
  select 'order_overlaps', r.id,
    format('order key %s: it began at %s, the one before ended at %s', r.order_key, r.started_at, r.before)
  from ran as r
  where r.started_at < r.before
  union all
  select 'ran_out_of_order', r.id,
    format('order key %s: it is number %s, and number %s ended before', r.order_key, r.order_seq, r.highest)
  from ran as r
  where r.order_seq < r.highest
$$;
