-- running -> running: saves partial work of a job under a name, replacing what was saved under it.
-- data has at most 1 MiB. A checkpoint survives retries and losses, and is removed when the job leaves its stage.
-- Returns false if the token is outdated: stop working on the job.
-- plan: no seqscan
create or replace function holdfast.save_checkpoint(job uuid, token uuid, name text, data json)
returns boolean
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_variable
declare
  held holdfast.jobs;
begin
  if name is null or length(name) not between 1 and 200 then
    perform holdfast.refuse('HF002', 'The name of a checkpoint must have 1 to 200 characters.',
      'Use the name of the step that the checkpoint saves.');
  end if;
  if octet_length(data::text) > 1048576 then
    perform holdfast.refuse('HF001',
      format('The checkpoint %s must have at most 1048576 bytes (got %s).', name, octet_length(data::text)),
      'Store the data elsewhere and save a reference to it.', '$');
  end if;
  select j.* into held from holdfast.jobs as j where j.id = job and j.token = save_checkpoint.token for share;
  if not found then
    return false;
  end if;
  insert into holdfast.checkpoints as c (job_id, name, data, attempt, saved_at)
  values (job, name, coalesce(data, 'null'), held.attempt, holdfast.now())
  on conflict on constraint checkpoints_pkey do update
    set data = excluded.data, attempt = excluded.attempt, saved_at = excluded.saved_at;
  return true;
end
$$;
