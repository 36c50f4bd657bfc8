-- Every queue with its policy and what stands in it.
create or replace view holdfast.queue_view as
select
  q.name, q.paused_at, q.paused_reason,
  coalesce(c.waiting, 0) as waiting, coalesce(c.scheduled, 0) as scheduled, coalesce(c.ready, 0) as ready, coalesce(c.running, 0) as running,
  c.oldest_ready,
  q.priority, q.max_failures, q.max_losses, q.retry, q.timeout, q.max_wait, q.rescue_delay, q.cancel_grace, q.ageing, q.weight,
  q.detail, q.retention, q.payload_limit, q.endpoint, q.notify, q.created_at
from holdfast.queues as q
left join (
  select
    j.queue,
    count(*) filter (where j.state = 'waiting') as waiting,
    count(*) filter (where j.state = 'scheduled') as scheduled,
    count(*) filter (where j.state = 'ready') as ready,
    count(*) filter (where j.state = 'running') as running,
    min(j.rank_at + coalesce(j.lead, '0')) filter (where j.state = 'ready') as oldest_ready
  from holdfast.jobs as j
  group by j.queue
) as c on c.queue = q.name;
comment on view holdfast.queue_view is 'Every queue with its policy and what stands in it.';
