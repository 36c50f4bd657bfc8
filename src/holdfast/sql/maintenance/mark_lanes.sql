-- Records where the ready jobs of each lane begin, where claims would otherwise walk over many dead index entries.
-- An old snapshot, such as that of a long query, keeps entries of ended jobs from being removed; every claim would
-- walk over all of them. Returns the number of marked lanes, null while another call is marking.
-- plan: no seqscan, no bitmapscan, no sort
create or replace function holdfast.mark_lanes()
returns integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  at     constant timestamptz := holdfast.now();
  -- Of very many lanes a thousand per call, from a random one on.
  most   constant integer := 1000;
  start  constant integer := coalesce(floor(random() * (select max(s.lane) from holdfast.lanes as s)), 0);
  marked integer := 0;
  place  integer := start;
  again  boolean := false;
  l      record;
begin
  if not holdfast.try_lock('mark_lanes') then
    return null;
  end if;
  -- With ageing a new job may rank before all others, and a mark would hide it: such lanes have none.
  delete from holdfast.lane_marks as m
  where exists (
    select from holdfast.lanes as s
    join holdfast.queues as q on q.name = s.queue
    where s.lane = m.lane and q.ageing is not null);
  for i in 1..most loop
    place := holdfast.next_lane(place);
    if place is null and not again then
      again := true;
      place := holdfast.next_lane(0);
    end if;
    exit when place is null or again and place > start;
    select q.ageing is null as has_marks,
      (select max(m.looked_at + greatest(interval '1 second', m.walked * interval '6 microseconds'))
       from holdfast.lane_marks as m
       where m.lane = s.lane) as next_look
    into l
    from holdfast.lanes as s
    join holdfast.queues as q on q.name = s.queue
    where s.lane = place
      and (s.endpoint = '' or exists (select from holdfast.endpoints as e where e.name = s.endpoint));
    if not found then
      marked := marked + holdfast.restore_lane(place);
    elsif l.next_look > at then
      perform holdfast.raise_marks(place, at);
      marked := marked + 1;
    elsif l.has_marks then
      marked := marked + holdfast.mark_lane(place, at)::integer;
    end if;
  end loop;
  return marked;
end
$$;
