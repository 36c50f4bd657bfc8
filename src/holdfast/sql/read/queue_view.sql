-- Every queue with its policy and what stands in it, counted to 10,000 a state.
create or replace view holdfast.queue_view as
select
  q.name, q.paused_at, q.paused_reason,
  c.waiting, c.scheduled, c.ready, coalesce(r.jobs, 0) as running,
  c.oldest_ready,
  q.priority, q.max_failures, q.max_losses, q.retry, q.timeout, q.max_wait, q.rescue_delay, q.cancel_grace, q.ageing, q.weight,
  q.detail, q.retention, q.payload_limit, q.endpoint, q.notify, l.max_concurrent, l.rate, q.created_at
from holdfast.queues as q
cross join lateral holdfast.count_jobs(q.name) as c
left join holdfast.limits as l on l.kind = 'queue' and l.name = q.name
left join holdfast.count_running() as r on r.queue = q.name;
comment on view holdfast.queue_view is 'Every queue with its policy and what stands in it; 10000 waiting, scheduled or ready means so many or more.';
