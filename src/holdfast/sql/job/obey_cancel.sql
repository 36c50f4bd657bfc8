-- running -> cancelled: ends a locked job that was asked to cancel, with the counters that the caller set in the row.
create or replace function holdfast.obey_cancel(job holdfast.jobs)
returns void
language plpgsql volatile
as $$
begin
  update holdfast.jobs as j
  set failures = job.failures, losses = job.losses, deferrals = job.deferrals, units = job.units,
      -- Null if the caller has given the permit back already.
      in_flight_at_start = job.in_flight_at_start
  where j.id = job.id;
  perform holdfast.end_jobs(array[job.id], null, 'cancelled', null, array['asked to cancel while running']);
end
$$;
comment on function holdfast.obey_cancel(holdfast.jobs) is 'Ends a locked running job that was asked to cancel, its last attempt counted.';
