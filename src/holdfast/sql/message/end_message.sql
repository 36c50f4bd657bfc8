-- running -> completed | scheduled | dead | cancelled: ends the attempt of a job that a message id names.
-- Accepted from the access key that made the job's newest claim; where worker_name is given, that must be its name too.
-- Else HF006: the lease is lost. verb is complete or fail; output and detail are those of complete_jobs and fail_jobs.
-- A completion that is sent again is accepted. Returns the job and the state that it has now.
-- plan: no seqscan
create or replace function holdfast.end_message(
  access_key uuid, worker_name text, message text, verb text, output json default null, detail jsonb default '{}'
)
returns table (job_id uuid, state text)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  held record;
begin
  select f.* into held from holdfast.find_message(access_key, worker_name, message) as f;
  if held.is_held and held.state = 'completed' and verb = 'complete' then
    return query select held.job_id, held.state;
    return;
  end if;
  if not held.is_held or held.state <> 'running' or exists (
    select from holdfast.settle_jobs(
      array[held.job_id], array[held.token], array[verb], array[output], array[detail])
  ) then
    perform holdfast.refuse('HF006', format('The message %s is not claimed by this worker.', left(message, 200)),
      'Stop the work: the lease of the message has ended, or another worker has it. Then claim a message again.');
  end if;
  perform holdfast.stop_worker(w.id, jsonb_build_object(
    'processed', w.processed + 1, 'failed', w.failed + (verb = 'fail')::integer))
  from holdfast.workers as w
  where w.id = held.worker
    and w.metadata ? 'claims_messages';
  return query select held.job_id, coalesce(
    (select j.state from holdfast.jobs as j where j.id = held.job_id),
    (select h.state from holdfast.history as h
      where h.id = held.job_id
        and h.ended_at >= coalesce(holdfast.created_at(held.job_id), '-infinity') - interval '1 minute'));
end
$$;
