-- (nothing) -> open: starts a run, a set of jobs that are counted together and end together.
-- options: on_complete ({"task": ..., "payload": ...} and options of enqueue_jobs) names a job that is enqueued once
-- when the run ends; labels; budget (money, such as 5 or "5 USD"), max_units and max_time bound the whole run; origin
-- and actor as in enqueue_jobs, for the run and its on_complete, not for its other jobs; scope of an access key, whose
-- callers may read the run and add to it.
-- Returns the id to pass as the option run of enqueue_jobs. A run can end only after seal_run.
create or replace function holdfast.start_run(name text, options jsonb default '{}')
returns uuid
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_variable
declare
  at constant timestamptz := holdfast.now();
  id constant uuid := holdfast.new_id(at);
  later record;
begin
  perform holdfast.check_object('options', options);
  if name is null or length(name) not between 1 and 200 then
    perform holdfast.refuse('HF002', 'The name of a run must have 1 to 200 characters.',
      'Choose a name that says what the run is for.');
  end if;
  perform holdfast.refuse('HF002', format('A run has no option %s.', left(k, 200)),
    'Use on_complete, labels, budget, max_units, max_time, origin, actor, scope.')
  from jsonb_object_keys(options) as k
  where k not in ('on_complete', 'labels', 'budget', 'max_units', 'max_time', 'origin', 'actor', 'scope');
  if options ? 'on_complete' and coalesce(length(options -> 'on_complete' ->> 'task'), 0) = 0 then
    perform holdfast.refuse('HF002', 'on_complete must have a task.', 'Pass {"task": "…", "payload": {…}}.');
  end if;
  perform holdfast.refuse_reserved(options -> 'on_complete' ->> 'task', options -> 'on_complete' ->> 'pipeline');
  select o.* into later from holdfast.read_option((options -> 'on_complete') - 'task' - 'payload', at) as o;
  perform holdfast.check_job(1, coalesce(later.priority, 50), later.max_failures,
    coalesce(octet_length(options -> 'on_complete' ->> 'payload'), 0), null, later.timeout,
    coalesce(later.queue, 'default'));
  perform holdfast.check_option(jsonb_build_object('origin', options -> 'origin', 'actor', options -> 'actor'));
  insert into holdfast.runs (id, name, created_at, on_complete, labels, login_id, origin, claimed_actor, scope)
  values (id, name, at, options -> 'on_complete', options -> 'labels', holdfast.find_login(),
    holdfast.stored_origin(options ->> 'origin'), options ->> 'actor', options ->> 'scope');
  perform holdfast.set_budget(id, options);
  return id;
end
$$;
