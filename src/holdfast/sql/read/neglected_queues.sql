-- Returns queues with ready jobs that are not paused and that no live worker claims from, at most max.
-- plan: no seqscan, no bitmapscan, no sort
create or replace function holdfast.neglected_queues(max integer default 1000)
returns setof text
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
declare
  served constant text[] := array(
    select distinct u
    from holdfast.worker_view as w
    cross join unnest(w.queues) as u
    where w.state = 'working');
  given  text[] := '{}';
  place  integer := 0;
  queue  text;
begin
  perform holdfast.check_count('max', max);
  if exists (select from holdfast.full_pause) then
    return;
  end if;
  while cardinality(given) < max loop
    place := holdfast.next_lane(place);
    exit when place is null;
    select q.name into queue
    from holdfast.lanes as l
    join holdfast.queues as q on q.name = l.queue and q.paused_at is null
    where l.lane = place
      and exists (select from holdfast.jobs as j where j.lane = l.lane and j.state = 'ready');
    -- Without a queue it is null, which differs from all of an empty array.
    if queue is not null and queue <> all (served || given) then
      given := given || queue;
      return next queue;
    end if;
  end loop;
end
$$;
