-- How many jobs of a queue wait, are scheduled or are ready, each counted to 10,001 and no further, and since when the oldest is ready.
create or replace function holdfast.count_jobs(of_queue text, out waiting bigint, out scheduled bigint, out ready bigint, out oldest_ready timestamptz)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
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
  -- With ageing the head of the line need not be the oldest: look at all that are counted.
  select count(*), min(found.at) into ready, oldest_ready from (
    select j.rank_at + coalesce(j.lead, '0') as at
    from holdfast.lanes as l join holdfast.jobs as j on j.lane = l.lane
    where l.queue = of_queue and j.state = 'ready' limit 10001) as found;
  if ready <= 10000 then
    return;
  end if;
  -- There are more than were counted: the oldest is at the head of one of the urgencies, of which there are 101.
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
comment on function holdfast.count_jobs(text) is 'How many jobs of a queue wait, are scheduled or are ready, and since when the oldest is ready; 10,001 of a state means more than 10,000.';
