-- Repairs a lane that was removed while jobs were enqueued: its jobs get a lane, or the lane its queue and endpoint.
-- The removal cannot see an enqueue that has not committed. Gives up on a locked row, so that other maintenance tasks
-- are not held up; the next call tries again.
create or replace function holdfast.restore_lane(number integer)
returns integer
language plpgsql volatile
set lock_timeout = '100ms'
as $$
declare
  lost holdfast.past_lanes;
  own  integer;
begin
  select p.* into lost from holdfast.past_lanes as p where p.lane = number;
  if found then
    own := holdfast.find_lane(lost.queue, lost.endpoint, lost."group", lost.task, lost.is_capped);
    update holdfast.jobs as j
    set lane = own
    where j.id = any (array(
      select f.id
      from holdfast.jobs as f
      where f.lane = number and f.state = 'ready'
      order by f.urgency desc, f.rank_at, f.id
      limit 1000
      for update skip locked));
  else
    perform holdfast.name_queue(l.queue) from holdfast.lanes as l where l.lane = number;
    perform holdfast.name_endpoint(l.endpoint) from holdfast.lanes as l where l.lane = number and l.endpoint <> '';
  end if;
  perform holdfast.notify_ready(array(select w.queue from holdfast.lane_of(coalesce(own, number)) as w));
  return 1;
exception
  when lock_not_available then
    return 1;
end
$$;
