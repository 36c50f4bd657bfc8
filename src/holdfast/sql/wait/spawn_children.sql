-- (nothing) -> ready: creates the children of a running job, once per name and stage visit.
-- A second call with the same name finds the children of the first, so a retried handler creates no second set. wait:
-- all or first (the first that completes; the others are cancelled). on_failure: fail, ignore or wait (for a replay).
-- Returns the run that the children are in, and is_over: true if the handler can read them with load_children now,
-- false if it shall wait with wait_jobs.
-- plan: no seqscan
create or replace function holdfast.spawn_children(
  job uuid, token uuid, name text, tasks text[], payloads json[], options jsonb default '{}', wait text default 'all',
  on_failure text default 'fail', out run uuid, out is_over boolean
)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_variable
declare
  at   constant timestamptz := holdfast.now();
  held holdfast.jobs;
begin
  perform holdfast.check_object('options', options);
  if coalesce(length(name), 0) not between 1 and 200
    or wait not in ('all', 'first')
    or on_failure not in ('fail', 'ignore', 'wait') then
    perform holdfast.refuse('HF002',
      format('name, wait or on_failure is invalid (got name %s, wait %s, on_failure %s).', name, wait, on_failure),
      'name must have 1 to 200 characters; wait must be all or first; on_failure must be fail, ignore or wait.');
  end if;
  select j.* into held from holdfast.jobs as j where j.id = job and j.token = spawn_children.token for update;
  if not found then
    perform holdfast.refuse('HF006', format('The job %s no longer belongs to this worker.', job),
      'Stop working on the job: another worker has it.');
  end if;
  select w.run_id into run
  from holdfast.waits as w
  where w.job_id = job
    and w.generation = held.generation
    and w.visit = held.visit
    and w.name = 'children:' || spawn_children.name;
  if not found then
    run := holdfast.new_id(at);
    insert into holdfast.runs (id, name, created_at, parent_id, wait, on_failure, login_id, origin, claimed_actor)
    values (run, name, at, job, wait, on_failure, holdfast.find_login(), held.origin, held.claimed_actor);
    perform holdfast.enqueue_jobs(tasks, payloads,
      jsonb_build_object('default_priority', held.priority) || options
      || jsonb_build_object('run', run, 'parent', job, 'parent_token', token));
    insert into holdfast.waits (job_id, generation, visit, name, run_id, began_at)
    values (job, held.generation, held.visit, 'children:' || name, run, at);
    perform holdfast.seal_run(run);
  end if;
  is_over := holdfast.wait_is_over(held, 'children:' || name);
end
$$;
