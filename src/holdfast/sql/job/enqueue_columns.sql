-- (nothing) -> ready | scheduled | waiting: stores jobs as enqueue_jobs does, with an array for each varying option.
-- tasks holds one name for all jobs, or one per payload. options apply to every job. An array has one element per
-- payload and replaces the option of that name; null in it means that its job does not have the option. delay and
-- timeout are seconds. default_queue and default_priority hold unless queue, priority or a rule says otherwise.
-- It is the fastest way to store many jobs whose options differ.
-- Returns what enqueue_jobs returns.
-- plan: no seqscan, generic
create or replace function holdfast.enqueue_columns(
  tasks        text[],
  payloads     json[],
  options      jsonb default '{}',
  queue        text[] default null,
  priority     integer[] default null,
  delay        double precision[] default null,
  run_at       timestamptz[] default null,
  unique_key   text[] default null,
  unique_for   text[] default null,
  unique_scope text[] default null,
  order_key    text[] default null,
  run          uuid[] default null,
  labels       jsonb[] default null,
  timeout      double precision[] default null,
  deadline     timestamptz[] default null,
  "group"      text[] default null,
  endpoint     text[] default null,
  estimate     double precision[] default null,
  max_failures integer[] default null,
  retry        jsonb[] default null,
  origin       text[] default null,
  actor        text[] default null,
  trace        jsonb[] default null,
  default_queue    text[] default null,
  default_priority integer[] default null
)
returns table (job_id uuid, created boolean, route text)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  lengths constant jsonb := jsonb_strip_nulls(jsonb_build_object(
    'queue', cardinality(queue), 'priority', cardinality(priority), 'delay', cardinality(delay),
    'run_at', cardinality(run_at), 'unique_key', cardinality(unique_key), 'unique_for', cardinality(unique_for),
    'unique_scope', cardinality(unique_scope), 'order_key', cardinality(order_key), 'run', cardinality(run),
    'labels', cardinality(labels), 'timeout', cardinality(timeout), 'deadline', cardinality(deadline),
    'group', cardinality("group"), 'endpoint', cardinality(endpoint), 'estimate', cardinality(estimate),
    'max_failures', cardinality(max_failures), 'retry', cardinality(retry),
    'origin', cardinality(origin), 'actor', cardinality(actor), 'trace', cardinality(trace),
    'default_queue', cardinality(default_queue), 'default_priority', cardinality(default_priority)
  ));
  own    record;
  stored record;
begin
  perform holdfast.check_object('options', options);
  if coalesce(cardinality(payloads), 0) = 0 then
    return;
  end if;
  perform holdfast.check_lengths(cardinality(payloads), lengths);
  select
    holdfast.renumber(queue) as queue, holdfast.renumber(priority) as priority,
    holdfast.to_intervals(delay) as delay, holdfast.renumber(run_at) as run_at,
    holdfast.renumber(unique_key) as unique_key, holdfast.renumber(unique_for) as unique_for,
    holdfast.renumber(unique_scope) as unique_scope, holdfast.renumber(order_key) as order_key,
    holdfast.renumber(run) as run, null::uuid[] as parent, null::uuid[] as parent_token,
    holdfast.renumber(labels) as labels, holdfast.to_intervals(timeout) as timeout,
    holdfast.renumber(deadline) as deadline, holdfast.renumber("group") as "group",
    holdfast.renumber(endpoint) as endpoint, holdfast.renumber(max_failures) as max_failures,
    holdfast.retry_policies(retry) as retry, null::text[] as pipeline, null::text[] as stage,
    holdfast.renumber(estimate) as estimate, holdfast.renumber(origin) as origin, holdfast.renumber(actor) as actor,
    holdfast.read_traces(trace) as trace, holdfast.renumber(default_queue) as default_queue,
    holdfast.renumber(default_priority) as default_priority
  into own;
  select s.* into stored
  from holdfast.store_jobs(
    holdfast.renumber(tasks), holdfast.renumber(payloads),
    options - array(select k from jsonb_object_keys(lengths) as k), own, false) as s;
  return query
    select u.id, u.is_made is not false, u.route
    from unnest(stored.ids, stored.made, stored.routes) as u (id, is_made, route);
end
$$;
