-- Sets the given keys of a task's defaults for declare_task and set_task; returns the settings that changed.
create or replace function holdfast.configure_task(cause text, name text, policy jsonb, reason text, actor text)
returns table (setting text, was jsonb, became jsonb)
language plpgsql volatile
as $$
#variable_conflict use_variable
declare
  p       constant jsonb := coalesce(policy, '{}');
  unknown text;
  before  jsonb;
begin
  perform holdfast.check_object('policy', policy);
  select k into unknown from jsonb_object_keys(p) as k
  where k <> all (array['queue', 'priority', 'max_failures', 'retry', 'timeout', 'endpoint', 'max_concurrent', 'rate']);
  if unknown is not null then
    perform holdfast.refuse('HF002', format('A task has no setting %s.', unknown),
      'Use queue, priority, max_failures, retry, timeout, endpoint, max_concurrent, rate.');
  end if;
  perform holdfast.refuse_reserved(name, p ->> 'queue');
  insert into holdfast.tasks (name) values (name) on conflict do nothing;
  perform from holdfast.tasks as t where t.name = configure_task.name for update;
  before := holdfast.task_settings(name);
  update holdfast.tasks as t
  set queue = given.queue, priority = given.priority, max_failures = given.max_failures, retry = given.retry,
      timeout = given.timeout, endpoint = given.endpoint, declared_at = holdfast.now()
  from (
    select
      case when p ? 'queue' then p ->> 'queue' else o.queue end as queue,
      case when p ? 'priority' then (p ->> 'priority')::smallint else o.priority end as priority,
      case when p ? 'max_failures' then (p ->> 'max_failures')::smallint else o.max_failures end as max_failures,
      case when p ? 'retry' then holdfast.retry_policy(p -> 'retry') else o.retry end as retry,
      case when p ? 'timeout' then holdfast.read_interval(p -> 'timeout') else o.timeout end as timeout,
      case when p ? 'endpoint' then p ->> 'endpoint' else o.endpoint end as endpoint
    from holdfast.tasks as o
    where o.name = configure_task.name
  ) as given
  where t.name = configure_task.name
    and (t.queue, t.priority, t.max_failures, t.retry, t.timeout, t.endpoint)
      is distinct from (given.queue, given.priority, given.max_failures, given.retry, given.timeout, given.endpoint);
  if holdfast.set_limit('task', name, p) then
    update holdfast.tasks as t set has_lanes = true where t.name = configure_task.name and not t.has_lanes;
    if found then
      perform holdfast.move_to_own_lanes(name);
    end if;
  end if;
  return query
    select * from holdfast.record_change(cause, 'task', name, before, holdfast.task_settings(name), reason, actor);
exception
  when check_violation or invalid_text_representation or numeric_value_out_of_range then
    raise exception using
      errcode = 'HF002',
      message = format('A setting of the task %s is out of range: %s.', name, holdfast.setting_problem(sqlerrm)),
      hint = 'priority must be 0 to 100, max_failures at least 1, and timeout more than 0.';
end
$$;
