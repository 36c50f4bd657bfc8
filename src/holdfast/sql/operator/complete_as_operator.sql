-- any live state -> completed: an operator records that the work is done, with its output.
-- If a worker runs the job, its later writes change nothing. It counts as an attempt of its own. result of each job:
-- completed, ended, busy (its row is locked, call again) or not_found.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.complete_as_operator(ids uuid[], output json, reason text, actor text)
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
      -- The operator's work is an attempt of its own: the last attempt of a completed job is the successful one.
      update holdfast.jobs as j
      set attempt = j.attempt + (j.state <> 'running')::integer,
          in_flight_at_start = null
      where j.id = asked;
      if job.in_flight_at_start is not null then
        -- It says nothing about the endpoint.
        perform holdfast.settle_permits(array[holdfast.permit_of(job, holdfast.recorded_units(job))], false);
      end if;
      perform holdfast.end_jobs(array[asked], null, 'completed', array[output],
        array['completed by an operator: ' || holdfast.sanitise_text(reason)], array[holdfast.recorded_units(job)]);
      perform holdfast.record_event('complete_as_operator', job.id, job.run_id, job.queue, job.state, 'completed',
        job.attempt + (job.state <> 'running')::integer, job.worker_id, actor, reason);
      result := 'completed';
    end if;
    return next;
  end loop;
end
$$;
