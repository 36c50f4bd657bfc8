-- running -> scheduled | dead | cancelled: one job that the caller has locked.
create or replace function holdfast.fail_job(job holdfast.jobs, detail jsonb)
returns void
language plpgsql volatile
as $$
declare
  at      constant timestamptz := holdfast.now();
  class   constant text := holdfast.class_of(job, detail);
  counts  boolean := class in ('transient', 'permanent');
  spared  boolean := false;
  delay   interval;
  verdict text;
begin
  job := holdfast.charge_units(job, holdfast.read_number(detail -> 'units'));
  perform holdfast.report_wait(job, detail) where detail ? 'retry_after';
  if job.in_flight_at_start is not null then
    -- A failure of an endpoint that fails all is not the job's own: it is put off, not counted.
    spared := not holdfast.tell_endpoint(job, class, detail) and class = 'transient';
    counts := counts and not spared;
    job.in_flight_at_start := null;
  end if;
  if counts then
    job.failures := job.failures + 1;
    job.deferred_since := null;
    delay := holdfast.delay_after_failure(job, detail);
  else
    job.deferrals := job.deferrals + 1;
    job.deferred_since := case when spared then job.deferred_since else coalesce(job.deferred_since, at) end;
    delay := holdfast.delay_after_deferral(job, class, detail);
  end if;
  verdict := case
    when class = 'permanent' then 'permanent'
    when counts and job.failures >= holdfast.max_failures_of(job) then 'failed_too_often'
    when not counts and not spared and at + delay - job.deferred_since > holdfast.max_wait_of(job.queue) then 'deferred_too_long'
    when at + delay > job.deadline then 'deadline_passed'
  end;
  perform holdfast.record_attempt(
    job,
    case when not counts then 'deferred' when detail ->> 'outcome' = 'timed_out' then 'timed_out' else 'failed' end,
    class, counts, detail,
    case when verdict is null and job.cancel_asked_at is null then at + delay end
  );
  if class = 'system' and detail ->> 'type' = 'UnknownTask' then
    perform holdfast.avoid_lane(job.worker_id, job.lane, at);
  end if;
  if verdict is null and job.cancel_asked_at is not null then
    perform holdfast.obey_cancel(job);
  elsif verdict is null then
    perform holdfast.put_back(job, 'fail', at + delay);
  else
    perform holdfast.bury(job, verdict);
  end if;
end
$$;
comment on function holdfast.fail_job(holdfast.jobs, jsonb) is 'Records the failed attempt of a locked job and retries, defers or buries it.';
