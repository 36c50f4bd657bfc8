-- The lanes with ready, waiting or scheduled jobs, found by leaps through two indexes: lanes without jobs cost nothing.
-- plan: no seqscan, no bitmapscan, no sort
create or replace function holdfast.live_lanes()
returns setof integer
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
  select w.lane from with_ready as w where w.lane is not null
  union
  select w.lane from with_parked as w where w.lane is not null
$$;
