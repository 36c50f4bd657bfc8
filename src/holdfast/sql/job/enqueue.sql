-- (nothing) -> ready | scheduled | waiting: stores one job and returns its id.
-- For psql, triggers and other languages. The job exists once the caller's transaction commits, and not before.
-- Only task is required. An option that is left out comes from the task, else from the queue, else from the defaults.
-- delay and run_at schedule the job. A unique_key that another job holds returns that job's id instead. Jobs with the
-- same order_key run one at a time, in commit order. run adds the job to a run that is still open.
-- origin: manual, automatic, scheduled, trigger, import, or a word of your own; in a trigger the default is trigger,
-- else automatic. The database records the login by itself; actor is a name that stands beside it, marked as claimed.
-- trace: the W3C traceparent of the caller; the job's attempts join that trace.
create or replace function holdfast.enqueue(
  task         text,
  payload      json default '{}',
  queue        text default null,
  priority     integer default null,
  delay        interval default null,
  run_at       timestamptz default null,
  unique_key   text default null,
  unique_for   text default null,
  unique_scope text default null,
  order_key    text default null,
  run          uuid default null,
  labels       jsonb default null,
  timeout      interval default null,
  deadline     timestamptz default null,
  "group"      text default null,
  endpoint     text default null,
  max_failures integer default null,
  retry        jsonb default null,
  origin       text default null,
  actor        text default null,
  trace        text default null
)
returns uuid
language sql volatile security definer
set search_path = holdfast, pg_temp
as $$
  select job_id
  from holdfast.enqueue_one(
    task,
    payload,
    jsonb_strip_nulls(jsonb_build_object(
      'queue', queue, 'priority', priority, 'delay', delay, 'run_at', run_at,
      'unique_key', unique_key, 'unique_for', unique_for, 'unique_scope', unique_scope,
      'order_key', order_key, 'run', run, 'timeout', timeout, 'deadline', deadline,
      'group', "group", 'endpoint', endpoint, 'max_failures', max_failures,
      'origin', origin, 'actor', actor, 'trace', trace
    ))
    || case when labels is null then '{}' else jsonb_build_object('labels', labels) end
    || case when retry is null then '{}' else jsonb_build_object('retry', retry) end
  )
$$;
