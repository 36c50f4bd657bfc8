-- paused -> running: ends the pause of all queues.
-- Queues that were paused one by one stay paused; returns their names, up to 1000.
create or replace function holdfast.resume_all_queues(reason text default null, actor text default null)
returns setof text
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
begin
  delete from holdfast.full_pause;
  perform holdfast.record_event('resume_all', actor => actor, reason => reason);
  -- Workers of other queues poll within a second.
  perform holdfast.notify_ready(array(select q.name from holdfast.queues as q where q.paused_at is null limit 1000));
  return query select q.name from holdfast.queues as q where q.paused_at is not null order by q.name limit 1000;
end
$$;
