-- Returns how many jobs of a queue are waiting, scheduled and ready, and since when the oldest one is ready.
-- Each state is counted to 10,001 and no further.
-- plan: no seqscan, no bitmapscan, no hashjoin, no mergejoin
create or replace function holdfast.count_jobs(of_queue text, out waiting bigint, out scheduled bigint,
  out ready bigint, out oldest_ready timestamptz)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
declare
  of_lane integer;
  points  smallint;
  at      timestamptz;
begin
  select count(*) into waiting from (
    select from holdfast.lanes as l join holdfast.jobs as j on j.lane = l.lane
    where l.queue = of_queue and j.state = 'waiting' limit 10001) as found;
  select count(*) into scheduled from (
    select from holdfast.lanes as l join holdfast.jobs as j on j.lane = l.lane
    where l.queue = of_queue and j.state = 'scheduled' limit 10001) as found;
  -- With ageing the first job need not be the oldest: look at all that are counted.
  select count(*), min(found.at) into ready, oldest_ready from (
    select j.rank_at + coalesce(j.lead, '0') as at
    from holdfast.lanes as l join holdfast.jobs as j on j.lane = l.lane
    where l.queue = of_queue and j.state = 'ready' limit 10001) as found;
  if ready <= 10000 then
    return;
  end if;
  -- More than were counted: the oldest is the first of one of the urgencies, of which there are 101.
  foreach of_lane in array array(select l.lane from holdfast.lanes as l where l.queue = of_queue) loop
    points := 101;
    loop
      select j.urgency, j.rank_at + coalesce(j.lead, '0') into points, at
      from holdfast.jobs as j
      where j.lane = of_lane and j.state = 'ready' and j.urgency < points
      order by j.urgency desc, j.rank_at, j.id
      limit 1;
      exit when not found;
      oldest_ready := least(oldest_ready, at);
    end loop;
  end loop;
end
$$;
