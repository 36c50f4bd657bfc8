-- running -> ready | cancelled: an operator takes jobs from their workers, uncharged; the workers are fenced.
create or replace function holdfast.take_back_jobs(ids uuid[], reason text, actor text)
returns table (job_id uuid, result text)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
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
        perform holdfast.obey_cancel(job);
        result := 'cancelled';
      else
        perform holdfast.put_back(job, 'take_back', holdfast.now());
        perform holdfast.notify_ready(array[job.queue]);
        result := 'taken_back';
      end if;
      perform holdfast.record_event('take_back', job.id, job.run_id, job.queue, 'running', case result when 'cancelled' then 'cancelled' else 'ready' end,
        job.attempt, job.worker_id, actor, reason);
    end if;
    return next;
  end loop;
end
$$;
comment on function holdfast.take_back_jobs(uuid[], text, text)
  is 'Takes running jobs from their workers and readies them (one that was asked to cancel is cancelled); the workers'' later writes change nothing. Others are not_running, ended, busy or not_found.';
