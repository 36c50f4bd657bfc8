-- running -> waiting: parks a locked job until its wait is over, or until a time. Its permit has been given back.
create or replace function holdfast.park(job holdfast.jobs, what text, until timestamptz)
returns void
language plpgsql volatile
as $$
begin
  perform holdfast.record_moves(array[job.id], 'wait', 'waiting', what);
  update holdfast.jobs as j
  set state = 'waiting', waits_for = what, due_at = until, rank_at = null, visit = job.visit,
      units = job.units, cost = job.cost, units_before = job.units_before, cost_before = job.cost_before,
      attempts_before = job.attempts_before, lane = holdfast.plain_lane(j.lane), releases = 0,
      failures = job.failures, losses = job.losses, deferrals = job.deferrals,
      deferred_since = null, worker_id = null, token = null, started_at = null, stop_at = null,
      in_flight_at_start = null, is_probe = null, permit_lane = null, reserved = null, reserved_units = null
  where j.id = job.id;
end
$$;
