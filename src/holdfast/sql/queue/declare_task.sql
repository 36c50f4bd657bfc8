-- (nothing) -> declared: makes a task if there is none, and sets all its defaults.
-- policy: queue, priority, max_failures, retry, timeout, endpoint, max_concurrent, rate. A key that is not given is
-- cleared, unlike in declare_queue: the code of the app is the whole truth about its tasks.
create or replace function holdfast.declare_task(name text, policy jsonb default '{}')
returns void
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_variable
declare
  p       constant jsonb := coalesce(policy, '{}');
  unknown text;
begin
  perform holdfast.check_object('policy', policy);
  select k into unknown from jsonb_object_keys(p) as k
  where k <> all (array['queue', 'priority', 'max_failures', 'retry', 'timeout', 'endpoint', 'max_concurrent', 'rate']);
  if unknown is not null then
    perform holdfast.refuse('HF002', format('A task has no setting %s.', unknown),
      'Use queue, priority, max_failures, retry, timeout, endpoint, max_concurrent, rate.');
  end if;
  insert into holdfast.tasks as t (name, queue, priority, max_failures, retry, timeout, endpoint)
  values (
    name, p ->> 'queue', (p ->> 'priority')::smallint, (p ->> 'max_failures')::smallint,
    holdfast.retry_policy(p -> 'retry'), holdfast.read_interval(p -> 'timeout'), p ->> 'endpoint'
  )
  on conflict on constraint tasks_pkey do update
    set queue = excluded.queue, priority = excluded.priority, max_failures = excluded.max_failures,
        retry = excluded.retry, timeout = excluded.timeout, endpoint = excluded.endpoint, declared_at = holdfast.now()
    where (t.queue, t.priority, t.max_failures, t.retry, t.timeout, t.endpoint)
      is distinct from (excluded.queue, excluded.priority, excluded.max_failures, excluded.retry, excluded.timeout,
        excluded.endpoint);
  -- Like its other settings, a limit that is not given is removed.
  if holdfast.set_limit('task', name, '{"max_concurrent": null, "rate": null}' || p) then
    update holdfast.tasks as t set has_lanes = true where t.name = declare_task.name and not t.has_lanes;
    if found then
      perform holdfast.move_to_own_lanes(name);
    end if;
  end if;
exception
  when check_violation or invalid_text_representation or numeric_value_out_of_range then
    raise exception using
      errcode = 'HF002',
      message = format('A setting of the task %s is out of range: %s.', name, sqlerrm),
      hint = 'priority must be 0 to 100, max_failures at least 1, and timeout more than 0.';
end
$$;
