-- Tells that an answer asked for a wait of more than an hour: the job waits for an hour, and asks again.
create or replace function holdfast.report_wait(job holdfast.jobs, detail jsonb)
returns void
language sql volatile
as $$
  select holdfast.record_event('long_retry_after', job.id, job.run_id, job.queue, attempt => job.attempt, worker => job.worker_id,
    reason => detail ->> 'message', detail => jsonb_build_object('retry_after', detail -> 'retry_after',
      'endpoint', (select nullif(l.endpoint, '') from holdfast.lanes as l where l.lane = coalesce(job.permit_lane, job.lane))))
  where holdfast.read_number(detail -> 'retry_after') > 3600
$$;
comment on function holdfast.report_wait(holdfast.jobs, jsonb) is 'Tells that an answer asked for a wait of more than an hour.';
