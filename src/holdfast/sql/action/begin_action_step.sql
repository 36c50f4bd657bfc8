-- running -> running: lets the worker of a bulk action do its next step, in the same transaction.
-- Raises HF006 if the job is no longer run by the attempt with this token, HF007 if the access key that asked for the
-- action is expired or revoked, and HF008 if its role or scope does not allow it any more. ids: the jobs of the step;
-- allowed: those in the key's scope now. is_cancelled: the action shall stop.
-- plan: no seqscan, generic
create or replace function holdfast.begin_action_step(
  job uuid, token uuid, ids uuid[] default null,
  out actor text, out asked_at timestamptz, out is_cancelled boolean, out allowed uuid[]
)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
declare
  held  holdfast.jobs;
  asked json;
  key   holdfast.access_keys;
  named record;
  wrong text;
begin
  select j.* into held
  from holdfast.jobs as j
  where j.id = job and j.token = begin_action_step.token and j.queue = 'holdfast';
  if not found then
    perform holdfast.refuse('HF006', format('The job %s no longer belongs to this worker.', job),
      'Stop working on it: another worker has the job.');
  end if;
  asked := coalesce(held.payload, (select p.payload from holdfast.payloads as p where p.job_id = job));
  select k.* into key
  from holdfast.access_keys as k
  where k.id = (asked ->> 'key')::uuid
    and k.revoked_at is null
    and coalesce(k.expires_at > holdfast.now(), true);
  if not found then
    perform holdfast.refuse('HF007', 'The access key that asked for this action is expired or revoked.',
      'Ask for the rest of the action with a valid key.');
  end if;
  select s.* into named from holdfast.action_scope((asked -> 'settings')::jsonb) as s;
  wrong := holdfast.access_problem(key, 'bulk', named.queues, named.tasks);
  if wrong is not null then
    perform holdfast.refuse('HF008', wrong, 'Ask for the rest of the action with another key.');
  end if;
  actor := key.name;
  asked_at := holdfast.created_at(job);
  is_cancelled := held.cancel_asked_at is not null;
  allowed := case when (key.queues, key.tasks) is null then ids else holdfast.jobs_in_scope(key, ids) end;
end
$$;
