-- scheduled -> ready: jobs that are due. Returns the ready ones that a worker with this access key could claim now.
-- They are in claim order, at most max (up to 1000).
-- Leaves out queues that are paused, other groups than of_group, and lanes without room under a limit or on their
-- endpoint. Of each lane it looks at the first 10,000 jobs. Across lanes the order is by priority, then by age.
-- plan: no seqscan
create or replace function holdfast.pending_messages(
  access_key uuid, of_group text default null, max integer default 10
)
returns table (
  job_id uuid, message_id text, task text, queue text, payload json, priority integer, failures integer,
  ready_at timestamptz
)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  at  constant timestamptz := holdfast.now();
  key holdfast.access_keys;
begin
  perform holdfast.check_count('max', max);
  perform holdfast.promote_due(at, 100);
  select k.* into key from holdfast.access_keys as k where k.id = pending_messages.access_key;
  return query
    select
      first.id, coalesce(first.unique_key, first.id::text), first.task, first.queue,
      coalesce(first.payload, (select p.payload from holdfast.payloads as p where p.job_id = first.id)),
      first.priority::integer, first.failures, first.rank_at + coalesce(first.lead, '0')
    from holdfast.ready_lanes(coalesce(key.queues, array(select q.name from holdfast.queues as q))) as r (lane)
    join holdfast.lanes as l on l.lane = r.lane
    join holdfast.queues as q on q.name = l.queue and q.paused_at is null and q.name <> 'holdfast'
    cross join lateral holdfast.serving_endpoint(l.lane, at) as e
    cross join lateral (
      select f.*
      from (
        select j.*
        from holdfast.jobs as j
        where j.lane = l.lane and j.state = 'ready' and (j.deadline is null or j.deadline > at)
        order by j.urgency desc, j.rank_at, j.id
        limit case when key.tasks is null then least(max, 1000) else 10000 end
      ) as f
      where key.tasks is null or f.task = any (key.tasks)
      limit least(max, 1000)
    ) as first
    where l."group" in ('', coalesce(of_group, ''))
      and not exists (select from holdfast.full_pause)
      and holdfast.lane_room(l.lane, 1, at) > 0
      and (e.name is null or (
        (select a.room from holdfast.admission(e, extract(epoch from at)::double precision) as a) > 0
        and holdfast.share_room(e, l.queue) > 0))
    order by first.urgency desc, first.rank_at, first.id
    limit least(max, 1000);
end
$$;
