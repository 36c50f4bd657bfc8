-- (nothing) -> ready | scheduled | waiting: stores jobs, all or none, in the caller's transaction.
-- tasks holds one name for all jobs, or one per payload. options apply to every job; each[i] overrides them for job i.
-- Options: queue, priority, delay, run_at, unique_key, unique_for, unique_scope, order_key, run, labels, timeout,
-- deadline, group, endpoint, estimate, max_failures, retry, pipeline, stage, stagger ({"every": seconds, "chunk":
-- jobs}), notify (false: wakes no worker), origin (manual, automatic, scheduled, trigger, import, or a word of your
-- own), actor (a name that stands beside the login, marked as claimed), trace (a W3C traceparent, or an object with
-- traceparent and tracestate: the job's attempts join that trace), default_queue and default_priority (those that the
-- app declares; unlike queue and priority they give way to rules), rules (false: no rule applies), unique_request (for
-- all jobs: a digest of what else was asked for; the same unique key with another one is a conflict too).
-- Returns the ids in the order of the payloads; created is false where a unique key returned an earlier job.
-- route: the queue of a job that a rule chose; else null.
-- plan: no seqscan, generic
create or replace function holdfast.enqueue_jobs(
  tasks    text[],
  payloads json[],
  options  jsonb default '{}',
  each     jsonb[] default null
)
returns table (job_id uuid, created boolean, route text)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  names  text[] := '{}';
  own    record;
  stored record;
begin
  perform holdfast.check_object('options', options);
  if coalesce(cardinality(payloads), 0) = 0 then
    return;
  end if;
  -- Tasks and payloads are paired by number, from 1; an array of SQL may start at another number, or be a matrix.
  if array_lower(payloads, 1) <> 1 or array_ndims(payloads) > 1 then
    payloads := array(select p from unnest(payloads) as p);
  end if;
  if array_lower(tasks, 1) <> 1 or array_ndims(tasks) > 1 then
    tasks := array(select t from unnest(tasks) as t);
  end if;
  if cardinality(payloads) = 1 and cardinality(tasks) = 1 and each is null then
    return query select o.job_id, o.created, o.route from holdfast.enqueue_one(tasks[1], payloads[1], options) as o;
    return;
  end if;
  if each is not null then
    names := holdfast.check_each(tasks, payloads, each);
    if 'pipeline' = any (names) or options ? 'pipeline' and 'stage' = any (names) then
      select e.tasks, e.each into tasks, each from holdfast.enter_options(tasks, options, each) as e;
      names := holdfast.check_each(tasks, payloads, each);
    end if;
  end if;
  select c.* into own from holdfast.read_columns(options, each, names) as c;
  select s.* into stored from holdfast.store_jobs(tasks, payloads, options - names, own, false) as s;
  return query
    select u.id, u.is_made is not false, u.route
    from unnest(stored.ids, stored.made, stored.routes) as u (id, is_made, route);
end
$$;
