-- running -> completed, or on to the next stage: ends a job in the transaction of its handler.
-- The handler's own writes and the end of the job commit together or not at all. Call it last: it sets the session's
-- idle_in_transaction_session_timeout, so that a host that fails before the commit holds the lock for one lease at
-- most. progress is the last report of the handler, in the form of report_progress; trace is the traceparent of the
-- attempt's span, to which the attempt at the next stage is linked.
-- Raises HF006 if the job is no longer the caller's, so that the whole transaction is undone.
-- plan: no seqscan
create or replace function holdfast.complete_in_transaction(
  job uuid, token uuid, output json, units double precision default null, progress jsonb default null,
  trace text default null
)
returns void
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  patience interval := current_setting('idle_in_transaction_session_timeout')::interval;
  detail   constant jsonb := jsonb_build_object('units', units, 'trace', trace);
  held     record;
begin
  perform holdfast.check_object('progress', progress);
  perform holdfast.hold_ends(array[job], array[token], array['advance'], null, null);
  -- In a statement of its own: it sees what another transaction changed before it let go of the lock.
  select w.lease, j.pipeline is not null as is_staged, j.cancel_asked_at is not null as is_unwanted
  into held
  from holdfast.jobs as j
  join holdfast.workers as w on w.id = j.worker_id
  where j.id = complete_in_transaction.job
    and j.token = complete_in_transaction.token;
  if not found then
    perform holdfast.refuse('HF006',
      format('The job %s no longer belongs to this worker; the transaction is undone.', job),
      'Do nothing: another worker has the job, or the job has ended.');
  end if;
  perform holdfast.store_progress(holdfast.read_progress(array[job], array[token], array[progress]))
  where progress is not null;
  -- Cancelling here would keep the handler's writes without the completion. A job without stages is completed in
  -- spite of the request; for one with stages the transaction is undone, and the worker's release cancels the job.
  if held.is_staged and held.is_unwanted then
    perform holdfast.refuse('HF006', format('A cancel request for the job %s arrived; the transaction is undone.', job),
      'Do nothing: the job ends as cancelled.');
  elsif held.is_staged then
    perform holdfast.keep_spans(array[job], array[detail]) where trace is not null;
    perform holdfast.settle_advances(array[job], array[output], array[detail]);
  else
    perform holdfast.end_jobs(array[job], null, 'completed', array[output], null, holdfast.units_of(array[detail]));
  end if;
  -- Only the commit is left. If the host fails before it, the job stays locked for one lease, not until TCP times out.
  if patience = '0' or patience > held.lease then
    perform set_config('idle_in_transaction_session_timeout', ceil(1000 * extract(epoch from held.lease))::text, true);
  end if;
end
$$;
