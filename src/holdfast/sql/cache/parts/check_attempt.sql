-- Raises HF006 if the job is no longer run by the attempt with this token. Locks nothing.
create or replace function holdfast.check_attempt(job uuid, token uuid)
returns void
language plpgsql stable
as $$
begin
  if not exists (select from holdfast.jobs as j where j.id = job and j.token = check_attempt.token) then
    perform holdfast.refuse('HF006', format('The job %s no longer belongs to this worker.', job),
      'Stop working on the job: another worker has it.');
  end if;
end
$$;
