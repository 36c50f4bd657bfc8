-- Every queue with its policy and its jobs by state, each counted to 10,000.
-- more_than names the states that have more; sampled_* are the exact counts of the newest sample (see sample_depths).
create or replace view holdfast.queue_view as
with running as materialized (
  select r.queue, r.jobs, sum(r.jobs) over () > 100000 as is_partial from holdfast.count_running() as r
)
select
  q.name, coalesce(q.paused_at, p.paused_at) as paused_at,
  case
    when q.paused_at is null and p.paused_at is not null then concat_ws(': ', 'all queues are paused', p.reason)
    else q.paused_reason
  end as paused_reason,
  least(c.waiting, 10000) as waiting, least(c.scheduled, 10000) as scheduled, least(c.ready, 10000) as ready,
  coalesce(r.jobs, 0) as running, c.oldest_ready,
  q.priority, q.max_failures, q.max_losses, q.retry, q.timeout, q.max_wait, q.rescue_delay, q.cancel_grace, q.ageing,
  q.weight, q.detail, q.logs, q.retention, q.payload_limit, q.endpoint, q.notify, q.stats_label,
  l.max_concurrent, l.rate,
  q.created_at,
  array_remove(array[
    case when c.waiting > 10000 then 'waiting' end,
    case when c.scheduled > 10000 then 'scheduled' end,
    case when c.ready > 10000 then 'ready' end,
    case when exists (select from running as p where p.is_partial) then 'running' end
  ], null) as more_than,
  s.sampled_at, s.waiting as sampled_waiting, s.scheduled as sampled_scheduled, s.ready as sampled_ready,
  s.running as sampled_running,
  case when q.paused_at is null then p.actor else q.paused_by end as paused_by
from holdfast.queues as q
cross join lateral holdfast.count_jobs(q.name) as c
left join holdfast.full_pause as p on true
left join holdfast.limits as l on l.kind = 'queue' and l.name = q.name
left join running as r on r.queue = q.name
left join lateral (
  select d.sampled_at, d.waiting, d.scheduled, d.ready, d.running
  from holdfast.depth_samples as d
  where d.queue = q.name
  order by d.minute desc
  limit 1
) as s on true;
