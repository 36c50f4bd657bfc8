-- Returns the jobs in an access key's scope: pending and processing now, complete and failed since the installation.
-- pending are those that wait, are scheduled or are ready; each state is counted to 10,000 and no further. failed are
-- the jobs that became dead, replayed ones included. complete and failed never fall, however short the retention is.
-- plan: no seqscan, no bitmapscan, no hashjoin, no mergejoin
create or replace function holdfast.count_messages(
  access_key uuid, out pending bigint, out processing bigint, out complete bigint, out failed bigint
)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
declare
  -- The totals have nothing, or only a part, of what ended since.
  counted constant timestamptz := coalesce(
    (select (c.counts ->> 'until')::timestamptz from holdfast.chores as c where c.name = 'summarise_ends'),
    date_trunc('minute', holdfast.now()) - interval '1 day');
  key     holdfast.access_keys;
begin
  select k.* into key from holdfast.access_keys as k where k.id = count_messages.access_key;
  select count(*) into pending
  from (
    (select from holdfast.lanes as l join holdfast.jobs as j on j.lane = l.lane
      where (key.queues is null or l.queue = any (key.queues)) and (key.tasks is null or j.task = any (key.tasks))
        and j.state = 'ready' limit 10000)
    union all
    (select from holdfast.lanes as l join holdfast.jobs as j on j.lane = l.lane
      where (key.queues is null or l.queue = any (key.queues)) and (key.tasks is null or j.task = any (key.tasks))
        and j.state = 'scheduled' limit 10000)
    union all
    (select from holdfast.lanes as l join holdfast.jobs as j on j.lane = l.lane
      where (key.queues is null or l.queue = any (key.queues)) and (key.tasks is null or j.task = any (key.tasks))
        and j.state = 'waiting' limit 10000)
  ) as found;
  select count(*) into processing
  from (
    select from holdfast.jobs as j
    where (key.queues is null or j.queue = any (key.queues)) and (key.tasks is null or j.task = any (key.tasks))
      and j.state = 'running' limit 10000
  ) as found;
  select coalesce(sum(e.jobs) filter (where e.state = 'completed'), 0),
    coalesce(sum(e.jobs) filter (where e.state = 'dead'), 0)
  into complete, failed
  from (
    select t.queue, t.task, t.state, t.jobs from holdfast.end_totals as t where t.what = 'end'
    union all
    select c.queue, c.task, c.state, -c.jobs from holdfast.end_counts as c
    where not c.is_hour and c.minute >= counted and c.what = 'end'
    union all
    select v.queue, v.task, v.state, 1 from holdfast.ended_visits(counted, 'infinity') as v
  ) as e
  where (key.queues is null or e.queue = any (key.queues)) and (key.tasks is null or e.task = any (key.tasks));
end
$$;
