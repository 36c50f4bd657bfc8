-- Decides what follows a failed attempt of a locked job, and reports the failure to its endpoint.
-- retry and most are those of failure_settings; the job's own come first.
-- verdict: null (tried again at due_at of the returned row), cancelled, or the reason that it is dead.
create or replace function holdfast.judge_failure(
  inout job holdfast.jobs, detail jsonb, at timestamptz, retry jsonb, most integer,
  out outcome text, out class text, out is_counted boolean, out verdict text
)
language plpgsql volatile
as $$
declare
  is_spared boolean := false;
begin
  most := coalesce(job.max_failures, holdfast.retry_tries(job.retry), most, 3);
  class := case
    when detail ->> 'class' in ('rate_limited', 'permanent', 'system') then detail ->> 'class'
    else 'transient'
  end;
  if class = 'permanent' and detail ->> 'refused' = 'true' and job.in_flight_at_start is not null then
    -- A refusal by an endpoint that has worked before is a fault of ours.
    select 'system' into class
    from holdfast.lanes as l
    join holdfast.endpoints as e on e.name = l.endpoint
    where l.lane = coalesce(job.permit_lane, job.lane) and e.delivered_since is not null;
    class := coalesce(class, 'permanent');
  end if;
  is_counted := class in ('transient', 'permanent');
  if job.reserved is not null or detail ? 'units' then
    job := holdfast.charge_units(job, holdfast.read_number(detail -> 'units'));
  end if;
  if holdfast.read_number(detail -> 'retry_after') > 3600 then
    -- The job waits for an hour, then tries again.
    perform holdfast.record_event('long_retry_after', job.id, job.run_id, job.queue,
      attempt => job.attempt, worker => job.worker_id, reason => detail ->> 'message',
      detail => jsonb_build_object('retry_after', detail -> 'retry_after', 'endpoint', (
        select nullif(l.endpoint, '') from holdfast.lanes as l where l.lane = coalesce(job.permit_lane, job.lane))));
  end if;
  if job.in_flight_at_start is not null then
    -- An endpoint that fails for other jobs as well is to blame: the job is deferred, and the failure not counted.
    is_spared := not holdfast.tell_endpoint(job, class, detail, most) and class = 'transient';
    is_counted := is_counted and not is_spared;
    job.in_flight_at_start := null;
  end if;
  if is_counted then
    job.failures := job.failures + 1;
    job.deferred_since := null;
    job.due_at := at + greatest(
      coalesce(holdfast.reported_wait(detail), '0'),
      holdfast.retry_delay(
        coalesce(job.retry, retry, holdfast.retry_policy('"default"')), job.failures, random()));
  else
    job.deferrals := job.deferrals + 1;
    job.deferred_since := case when is_spared then job.deferred_since else coalesce(job.deferred_since, at) end;
    job.due_at := at + holdfast.delay_after_deferral(job, class, detail);
  end if;
  if class = 'permanent' then
    verdict := 'permanent';
  elsif is_counted and job.failures >= most then
    verdict := 'failed_too_often';
  elsif not is_counted and not is_spared and job.due_at - job.deferred_since > holdfast.max_wait_of(job.queue) then
    verdict := 'deferred_too_long';
  elsif job.due_at > job.deadline then
    verdict := 'deadline_passed';
  elsif job.cancel_asked_at is not null then
    verdict := 'cancelled';
  end if;
  if verdict is not null then
    job.due_at := null;
  end if;
  outcome := case
    when not is_counted then 'deferred'
    when detail ->> 'outcome' = 'timed_out' then 'timed_out'
    else 'failed'
  end;
  if class = 'system' and detail ->> 'type' = 'UnknownTask' then
    perform holdfast.avoid_lane(job.worker_id, job.lane, at);
  end if;
end
$$;
