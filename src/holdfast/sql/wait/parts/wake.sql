-- waiting -> ready: resumes a locked job, because its wait is over or has timed out.
create or replace function holdfast.wake(job holdfast.jobs, cause text)
returns void
language plpgsql volatile
as $$
begin
  perform holdfast.record_moves(array[job.id], cause, 'ready');
  update holdfast.jobs as j
  set state = 'ready', waits_for = null, due_at = null, rank_at = holdfast.now() - coalesce(j.lead, '0')
  where j.id = job.id;
  perform holdfast.notify_ready(array[job.queue]);
end
$$;
