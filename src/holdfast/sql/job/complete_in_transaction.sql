-- running -> completed, or on to the next stage: in the handler's own transaction, so that its writes and the end commit together or not at all.
create or replace function holdfast.complete_in_transaction(job uuid, token uuid, output json, units double precision default null)
returns void
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  patience interval := current_setting('idle_in_transaction_session_timeout')::interval;
  held     record;
  is_lost  boolean;
begin
  select w.lease, j.pipeline is not null as is_staged, j.cancel_asked_at is not null as is_unwanted
  into held
  from holdfast.jobs as j
  join holdfast.workers as w on w.id = j.worker_id
  where j.id = complete_in_transaction.job
    and j.token = complete_in_transaction.token
  for update of j;
  -- To obey a request to cancel here would end the job without its completion, and its writes would stand. A job without stages is
  -- completed all the same; one with stages undoes them, and is cancelled when its worker gives it back.
  if held.is_staged and held.is_unwanted then
    perform holdfast.refuse('HF006', format('The job %s was asked to cancel; its transaction is undone.', job), 'Do nothing: it ends as cancelled.');
  end if;
  is_lost := case
    when held.is_staged then exists (select from holdfast.advance_jobs(array[job], array[token], array[output], array[jsonb_build_object('units', units)]))
    else exists (select from holdfast.complete_jobs(array[job], array[token], array[output], array[jsonb_build_object('units', units)]))
  end;
  if is_lost then
    perform holdfast.refuse('HF006', format('The job %s is no longer this worker''s; its transaction is undone.', job),
      'Do nothing: another worker has it or it has ended.');
  end if;
  -- All that is left to do is to commit. A host that dies before it holds the job's lock for a lease, not until TCP notices.
  if patience = '0' or patience > held.lease then
    perform set_config('idle_in_transaction_session_timeout', ceil(1000 * extract(epoch from held.lease))::text, true);
  end if;
end
$$;
comment on function holdfast.complete_in_transaction(uuid, uuid, json, double precision) is 'Completes a job inside the caller''s transaction; raises if the job was lost, so that the transaction is undone.';
