-- running -> ready | cancelled: takes jobs away from their workers, at no cost to the jobs.
-- The workers' later writes change nothing. A job that was asked to cancel is cancelled. result of each job:
-- reclaimed, cancelled, not_running, ended, busy (its row is locked, call again) or not_found.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.reclaim_jobs(ids uuid[], reason text, actor text)
returns table (job_id uuid, result text)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  job   holdfast.jobs;
  asked uuid;
begin
  perform holdfast.check_reason(reason);
  foreach asked in array array(select distinct i from unnest(ids) as i order by i) loop
    select j.* into job from holdfast.jobs as j where j.id = asked for update skip locked;
    job_id := asked;
    result := holdfast.refusal(asked, job.state, array['running']);
    if result is null and not holdfast.hold_endpoint(job) then
      result := 'busy';
    end if;
    if result is null then
      job := holdfast.charge_attempt(job, holdfast.recorded_units(job));
      job.deferrals := job.deferrals + 1;
      if job.cancel_asked_at is not null then
        perform holdfast.finish_cancel(array[job]);
        result := 'cancelled';
      else
        job.due_at := holdfast.now();
        perform holdfast.put_back(array[job], 'reclaim');
        perform holdfast.notify_ready(array[job.queue]);
        result := 'reclaimed';
      end if;
      perform holdfast.record_event('reclaim', job.id, job.run_id, job.queue, 'running',
        case result when 'cancelled' then 'cancelled' else 'ready' end, job.attempt, job.worker_id, actor, reason);
    end if;
    return next;
  end loop;
end
$$;
