-- ready -> running: leases the job that a message id names to a worker that speaks HTTP, in one step.
-- message is the unique key of a job, or its id. worker_name is what the worker calls itself; null: it has no name. The
-- lease is not renewed: a job that has not ended by then is rescued. The conditions of claim_job hold.
-- is_claimed is false if the job is not ready or may not start now; state then says what it is. Raises HF004 for a
-- message that is unknown, or outside of the access key's scope.
-- plan: no seqscan
create or replace function holdfast.claim_message(
  access_key uuid, worker_name text, message text, of_group text default null, lease interval default '300 seconds'
)
returns table (
  is_claimed boolean, job_id uuid, state text, message_id text, task text, queue text, payload json, priority integer,
  failures integer, started_at timestamptz, lease_until timestamptz
)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  wanted  record;
  claimed record;
  slot    uuid;
  until   timestamptz;
begin
  is_claimed := false;
  select f.* into wanted from holdfast.find_message(access_key, worker_name, message) as f;
  if wanted.state in ('ready', 'scheduled') then
    -- A worker of its own for each claim, so that no later one extends its lease. One that has stopped is used again.
    select w.id into slot
    from holdfast.workers as w
    where w.metadata ? 'claims_messages'
      and w.access_key = claim_message.access_key
      and w.metadata ->> 'name' is not distinct from worker_name
      and w.state = 'stopped'
    limit 1
    for update skip locked;
    slot := coalesce(slot, gen_random_uuid());
    until := holdfast.register_worker(slot, array[wanted.queue], jsonb_build_object(
      'lease', extract(epoch from lease), 'group', coalesce(of_group, ''), 'host', worker_name,
      'access_key', access_key,
      'metadata', jsonb_build_object('claims_messages', true, 'name', worker_name)));
    select c.* into claimed from holdfast.claim_job(slot, wanted.job_id) as c;
    is_claimed := found;
    if not is_claimed then
      perform holdfast.stop_worker(slot);
    end if;
  end if;
  job_id := wanted.job_id;
  state := wanted.state;
  if is_claimed then
    select
      j.state, coalesce(j.unique_key, j.id::text), j.task, j.queue, claimed.payload, j.priority, j.failures,
      j.started_at, until
    into state, message_id, task, queue, payload, priority, failures, started_at, lease_until
    from holdfast.jobs as j
    where j.id = claimed.job_id;
  end if;
  return next;
end
$$;
