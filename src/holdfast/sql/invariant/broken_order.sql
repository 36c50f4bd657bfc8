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
  ), ended as (
    select n.id, n.order_key, n.started_at, lag(n.ended_at) over (partition by n.order_key order by n.started_at) as before
    from holdfast.newest_jobs(max) as n
    where n.order_key is not null
      and n.started_at is not null
      and not n.is_live
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
    and exists (select from lined as o where o.order_key = l.order_key and not o.is_behind and o.order_seq > l.order_seq)
  union all
  select 'order_without_line', l.id, format('order key %s has no line', l.order_key)
  from lined as l
  where not exists (select from holdfast.order_keys as k where k.key = l.order_key)
  union all
  select 'line_without_head', k.head, format('the head of order key %s is gone or waits', k.key)
  from (select o.* from holdfast.order_keys as o order by o.key limit max) as k
  left join holdfast.jobs as j on j.id = k.head
  where (j.id is null or j.waits_for = 'order')
    and not exists (select from holdfast.order_releases as r where r.key = k.key)
  union all
  select 'order_overlaps', e.id, format('order key %s: it began at %s, the one before ended at %s', e.order_key, e.started_at, e.before)
  from ended as e
  where e.started_at < e.before
$$;
comment on function holdfast.broken_order(integer) is 'Order keys of which more than one job runs or ran at once, or whose line is broken.';
