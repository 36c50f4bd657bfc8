-- any live state -> dead: an operator gives jobs up; their dead letters have the reason given_up.
-- If a worker runs the job, its later writes change nothing. result of each job: dead, ended, busy (its row is locked,
-- call again) or not_found.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.fail_as_operator(ids uuid[], reason text, actor text)
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
    result := holdfast.refusal(asked, job.state, array['waiting', 'scheduled', 'ready', 'running']);
    if result is null and not holdfast.hold_endpoint(job) then
      result := 'busy';
    end if;
    if result is null then
      perform holdfast.dead_letter_jobs(
        array[holdfast.charge_attempt(job, holdfast.recorded_units(job))], array['given_up']);
      update holdfast.dead_letters as d
      set message = coalesce(d.message, holdfast.sanitise_text(fail_as_operator.reason))
      where d.job_id = asked;
      perform holdfast.record_event('fail_as_operator', job.id, job.run_id, job.queue, job.state, 'dead', job.attempt,
        job.worker_id, actor, reason);
      result := 'dead';
    end if;
    return next;
  end loop;
end
$$;
