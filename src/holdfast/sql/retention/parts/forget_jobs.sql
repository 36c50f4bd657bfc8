-- Deletes what other tables hold of jobs that were pruned; events that are sealed by day stay.
-- plan: no seqscan
create or replace function holdfast.forget_jobs(ids uuid[])
returns void
language sql volatile
as $$
  delete from holdfast.payloads as t where t.job_id = any (ids);
  delete from holdfast.attempts as t where t.job_id = any (ids);
  select holdfast.forget_logs(ids);
  delete from holdfast.checkpoints as t where t.job_id = any (ids);
  delete from holdfast.calls as t where t.job_id = any (ids);
  delete from holdfast.progress as t where t.job_id = any (ids);
  delete from holdfast.stage_outputs as t where t.job_id = any (ids);
  delete from holdfast.waits as t where t.job_id = any (ids);
  delete from holdfast.signals as t where t.job_id = any (ids);
  delete from holdfast.dead_letters as t where t.job_id = any (ids);
  delete from holdfast.dead_letter_notes as t where t.job_id = any (ids);
  delete from holdfast.events as t
  where t.job_id = any (ids)
    and t.actor is null
    and t.to_state in ('rejected', 'cancelled', 'dead') is not true;
$$;
