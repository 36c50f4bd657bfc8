-- Sets the given keys of a queue's policy for declare_queue and set_queue; returns the settings that changed.
create or replace function holdfast.configure_queue(cause text, name text, policy jsonb, reason text, actor text)
returns table (setting text, was jsonb, became jsonb)
language plpgsql volatile
as $$
#variable_conflict use_variable
declare
  p       constant jsonb := coalesce(policy, '{}');
  unknown text;
  before  jsonb;
  after   jsonb;
  limited boolean;
  its_detail text;
begin
  perform holdfast.check_object('policy', policy);
  select k into unknown from jsonb_object_keys(p) as k
  where k <> all (array['priority', 'max_failures', 'max_losses', 'retry', 'timeout', 'max_wait', 'rescue_delay',
    'cancel_grace', 'ageing', 'weight', 'detail', 'retention', 'payload_limit', 'endpoint', 'notify', 'max_concurrent',
    'rate', 'logs', 'stats_label']);
  if unknown is not null then
    perform holdfast.refuse('HF002', format('A queue has no setting %s.', unknown),
      'Use priority, max_failures, max_losses, retry, timeout, max_wait, rescue_delay, cancel_grace, ageing, weight,'
      ' detail, retention, payload_limit, endpoint, notify, max_concurrent, rate, logs, stats_label.');
  end if;
  perform holdfast.refuse_reserved(name);
  perform holdfast.find_lane(name, null, null);
  if policy is null then
    return;
  end if;
  -- Lock order: the flag detail, then the queue before its limit, so that two who set the same see each other's
  -- change. Claims wait for neither.
  its_detail := case when p ? 'detail' then coalesce(p ->> 'detail', holdfast.default_detail()) end;
  update holdfast.queues as q set expires_at = null where q.name = configure_queue.name and q.expires_at is not null;
  if p = '{}' then
    return;
  end if;
  perform from holdfast.queues as q where q.name = configure_queue.name for update;
  before := holdfast.queue_settings(name);
  if p ?| array['max_concurrent', 'rate'] then
    limited := holdfast.set_limit('queue', name, p);
  end if;
  update holdfast.queues as q
  set priority = case when p ? 'priority' then (p ->> 'priority')::smallint else q.priority end,
      max_failures = case when p ? 'max_failures' then (p ->> 'max_failures')::smallint else q.max_failures end,
      max_losses = case when p ? 'max_losses' then (p ->> 'max_losses')::smallint else q.max_losses end,
      retry = case when p ? 'retry' then holdfast.retry_policy(p -> 'retry') else q.retry end,
      timeout = case when p ? 'timeout' then holdfast.read_interval(p -> 'timeout') else q.timeout end,
      max_wait = case when p ? 'max_wait' then holdfast.read_interval(p -> 'max_wait') else q.max_wait end,
      rescue_delay = case
        when p ? 'rescue_delay' then holdfast.rescue_policy(p -> 'rescue_delay') else q.rescue_delay end,
      cancel_grace = case
        when p ? 'cancel_grace' then holdfast.read_interval(p -> 'cancel_grace') else q.cancel_grace end,
      ageing = case when p ? 'ageing' then (p ->> 'ageing')::double precision else q.ageing end,
      weight = case when p ? 'weight' then (p ->> 'weight')::double precision else q.weight end,
      detail = coalesce(its_detail, q.detail),
      own_detail = case when p ? 'detail' then p ->> 'detail' else q.own_detail end,
      full_since = case coalesce(its_detail, q.detail)
        when 'full' then coalesce(q.full_since, holdfast.now()) end,
      logs = case when p ? 'logs' then p ->> 'logs' else q.logs end,
      stats_label = case when p ? 'stats_label' then p ->> 'stats_label' else q.stats_label end,
      retention = case when p ? 'retention' then holdfast.read_interval(p -> 'retention') else q.retention end,
      payload_limit = case when p ? 'payload_limit' then (p ->> 'payload_limit')::integer else q.payload_limit end,
      endpoint = case when p ? 'endpoint' then p ->> 'endpoint' else q.endpoint end,
      notify = case when p ? 'notify' then (p ->> 'notify')::boolean else q.notify end,
      is_limited = coalesce(limited, q.is_limited)
  where q.name = configure_queue.name;
  after := holdfast.queue_settings(name);
  if after -> 'ageing' <> before -> 'ageing' then
    perform holdfast.age_jobs(name);
  end if;
  return query select * from holdfast.record_change(cause, 'queue', name, before, after, reason, actor);
exception
  when check_violation or not_null_violation or invalid_text_representation or numeric_value_out_of_range then
    raise exception using
      errcode = 'HF002',
      message = format('A setting of the queue %s is out of range: %s.', name, holdfast.setting_problem(sqlerrm)),
      hint = 'priority must be 0 to 100; limits must be at least 1, and durations more than 0; detail must be off,'
        ' basic or full; logs must be off, errors or all; stats_label must have 1 to 200 characters.';
end
$$;
