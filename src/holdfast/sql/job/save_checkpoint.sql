-- running -> running: saves partial work of a job under a name; false if the job was lost.
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
    perform holdfast.refuse('HF002', 'A checkpoint needs a name of 1 to 200 characters.', 'Name the step that it saves.');
  end if;
  if octet_length(data::text) > 1048576 then
    perform holdfast.refuse('HF001', format('The checkpoint %s is %s bytes long, 1048576 are allowed.', name, octet_length(data::text)),
      'Save where the data is, not the data.', '$');
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
comment on function holdfast.save_checkpoint(uuid, uuid, text, json) is 'Saves partial work of a running job under a name; false if the job was lost.';
