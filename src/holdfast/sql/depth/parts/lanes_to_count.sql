-- The lanes with ready, waiting or scheduled jobs, found by leaps through two indexes: lanes without jobs cost nothing.
-- Also a lane 0, which holds no jobs, for each queue that needs a row: a busy one, and one with a sample since then.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.lanes_to_count(busy text[], since timestamptz)
returns table (queue text, lane integer)
language sql stable
as $$
  with recursive with_ready as (
    (select j.lane from holdfast.jobs as j where j.state = 'ready' order by j.lane limit 1)
    union all
    select (
      select j.lane from holdfast.jobs as j where j.state = 'ready' and j.lane > w.lane order by j.lane limit 1)
    from with_ready as w
    where w.lane is not null
  ), with_parked as (
    (select j.lane from holdfast.jobs as j where j.state in ('waiting', 'scheduled') order by j.lane limit 1)
    union all
    select (
      select j.lane
      from holdfast.jobs as j
      where j.state in ('waiting', 'scheduled') and j.lane > w.lane
      order by j.lane
      limit 1)
    from with_parked as w
    where w.lane is not null
  )
  select l.queue, l.lane
  from holdfast.lanes as l
  where l.lane = any (array(
    select w.lane from with_ready as w where w.lane is not null
    union
    select w.lane from with_parked as w where w.lane is not null))
  union all
  select b, 0 from unnest(busy) as b
  union
  select d.queue, 0 from holdfast.depth_samples as d where d.minute >= since
$$;
