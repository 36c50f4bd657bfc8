-- Checks that a call of the HTTP API is allowed, and returns whose access key it carries.
-- hash is the SHA-256 of a secret of the key, or of a session. queues and tasks are what the call names, jobs what it
-- reads or has stored, runs those that it reads or adds to: each must be in the key's scope; a run is in the scope in
-- which it was started. To operate on a run, all its jobs must be in the scope too.
-- worker is the one that the call speaks for: the key must have registered it. Raises HF007 for a key that is not
-- valid, HF008 for what its role or scope does not allow, and HF004 for a job or run outside of its scope or a worker
-- of another key, as for one that does not exist. scope stands for the key's queues and tasks: null for all.
-- plan: no seqscan, generic
create or replace function holdfast.check_access(
  hash bytea, action text, queues text[] default null, tasks text[] default null, jobs uuid[] default null,
  runs uuid[] default null, worker uuid default null
)
returns table (key uuid, name text, role text, key_queues text[], key_tasks text[], scope text)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  moment constant timestamptz := holdfast.now();
  caller holdfast.access_keys;
  wrong  text;
begin
  select k.* into caller
  from holdfast.access_secrets as s
  join holdfast.access_keys as k on k.id = s.key_id
  where s.hash = check_access.hash
    and s.kind <> 'link'
    and k.revoked_at is null
    and coalesce(k.expires_at > moment, true)
    and coalesce(s.expires_at > moment, true);
  if caller.id is null then
    perform holdfast.refuse('HF007', 'The access key is unknown, expired or revoked.',
      'Send a valid key; ''holdfast keys create'' makes one.');
  end if;
  wrong := holdfast.access_problem(caller, action, queues, tasks);
  if wrong is not null then
    perform holdfast.refuse('HF008', wrong,
      'Use a key with another role or scope; ''holdfast keys list'' shows all keys.');
  end if;
  if caller.scope is not null and jobs is not null then
    perform holdfast.check_job_access(caller, action, jobs);
  end if;
  if caller.scope is not null and runs is not null then
    perform holdfast.check_run_access(caller, runs);
    if action = 'operate' then
      perform holdfast.check_run_jobs(caller, runs);
    end if;
  end if;
  if worker is not null and not exists (
    select from holdfast.workers as w where w.id = check_access.worker and w.access_key = caller.id
  ) then
    perform holdfast.refuse('HF004', format('There is no worker %s.', worker),
      'Register the worker with this access key, or use the key that registered it.');
  end if;
  -- To the hour, and never waiting: a key that many use at once must not be a hot row.
  if caller.last_used_at is null or caller.last_used_at < moment - interval '1 hour' then
    update holdfast.access_keys as k set last_used_at = moment
    where k.id = (select l.id from holdfast.access_keys as l where l.id = caller.id for update skip locked);
  end if;
  return query select caller.id, caller.name, caller.role, caller.queues, caller.tasks, caller.scope;
end
$$;
