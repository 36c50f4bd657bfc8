-- running -> completed, or on to the next stage: in the handler's own transaction, so that its writes and the end commit together or not at all.
create or replace function holdfast.complete_in_transaction(job uuid, token uuid, output json, units double precision default null)
returns void
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
begin
  if exists (select from holdfast.advance_jobs(array[job], array[token], array[output], array[jsonb_build_object('units', units)])) then
    perform holdfast.refuse('HF006', format('The job %s is no longer this worker''s; its transaction is undone.', job),
      'Do nothing: another worker has it or it has ended.');
  end if;
end
$$;
comment on function holdfast.complete_in_transaction(uuid, uuid, json, double precision) is 'Completes a job inside the caller''s transaction; raises if the job was lost, so that the transaction is undone.';
