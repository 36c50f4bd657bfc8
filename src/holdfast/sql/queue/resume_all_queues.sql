-- paused -> running: jobs are claimed again, but for queues that were paused one by one. Returns up to a thousand of those.
create or replace function holdfast.resume_all_queues(reason text default null, actor text default null)
returns setof text
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
begin
  delete from holdfast.full_pause;
  perform holdfast.record_event('resume_all', actor => actor, reason => reason);
  -- Workers of other queues look again within a second by themselves.
  perform holdfast.notify_ready(array(select q.name from holdfast.queues as q where q.paused_at is null limit 1000));
  return query select q.name from holdfast.queues as q where q.paused_at is not null order by q.name limit 1000;
end
$$;
comment on function holdfast.resume_all_queues(text, text) is 'Ends the pause of all queues; returns those that stay paused because they were paused one by one.';
