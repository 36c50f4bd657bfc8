-- The settings of a queue, by the keys of declare_queue; durations in seconds.
create or replace function holdfast.queue_settings(of_queue text)
returns jsonb
language sql volatile
as $$
  select jsonb_build_object(
    'priority', q.priority, 'max_failures', q.max_failures, 'max_losses', q.max_losses, 'retry', q.retry,
    'timeout', holdfast.seconds_of(q.timeout), 'max_wait', holdfast.seconds_of(q.max_wait),
    'rescue_delay', q.rescue_delay, 'cancel_grace', holdfast.seconds_of(q.cancel_grace), 'ageing', q.ageing,
    'weight', q.weight, 'detail', q.own_detail, 'logs', q.logs, 'retention', holdfast.seconds_of(q.retention),
    'payload_limit', q.payload_limit, 'endpoint', q.endpoint, 'notify', q.notify,
    'max_concurrent', l.max_concurrent, 'rate', l.rate, 'stats_label', q.stats_label)
  from holdfast.queues as q
  left join holdfast.limits as l on l.kind = 'queue' and l.name = q.name
  where q.name = of_queue
$$;
