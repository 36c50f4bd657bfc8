-- Notes where the ready jobs of each lane begin, if a walk from its start is long.
-- While somebody holds a snapshot, no entry of a job that has ended can be removed, and each claim would walk them all.
create or replace function holdfast.mark_lanes()
returns integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  at     constant timestamptz := holdfast.now();
  marked integer := 0;
  l      record;
begin
  if not holdfast.try_lock('mark_lanes') then
    return null;
  end if;
  -- With ageing, a new job may rank before all others: no mark could hold, and one from before would hide it.
  delete from holdfast.lane_marks as m
  where exists (select from holdfast.lanes as s join holdfast.queues as q on q.name = s.queue where s.lane = m.lane and q.ageing is not null);
  for l in
    select t.lane, t.next_look from holdfast.lanes as s
    join holdfast.queues as q on q.name = s.queue and q.ageing is null
    cross join lateral (
      select s.lane, (select max(m.looked_at + greatest(interval '1 second', m.walked * interval '6 microseconds')) from holdfast.lane_marks as m where m.lane = s.lane)
    ) as t (lane, next_look)
  loop
    if l.next_look > at then
      perform holdfast.raise_marks(l.lane, at);
      marked := marked + 1;
    else
      marked := marked + holdfast.mark_lane(l.lane, at)::integer;
    end if;
  end loop;
  return marked;
end
$$;
comment on function holdfast.mark_lanes() is 'Notes where the ready jobs of each lane begin, if a walk from its start is long; returns the number of marked lanes, or null while another round is at it.';
