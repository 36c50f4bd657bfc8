-- running -> scheduled | ready: gives a locked job back, with the counters that the caller set in the row.
-- An attempt that ended by itself clears a suspect; whether a rescue or a release makes one, the caller says by the lane.
create or replace function holdfast.put_back(job holdfast.jobs, cause text, due timestamptz)
returns void
language plpgsql volatile
as $$
declare
  at     constant timestamptz := holdfast.now();
  is_due constant boolean := due <= at;
begin
  perform holdfast.give_permit_back(job, null);
  -- A release has told more of itself.
  if cause <> 'release' then
    perform holdfast.record_moves(array[job.id], cause, case when is_due then 'ready' else 'scheduled' end);
  end if;
  update holdfast.jobs as j
  set state = case when is_due then 'ready' else 'scheduled' end,
      rank_at = case when is_due then at - coalesce(j.lead, '0') end,
      due_at = case when not is_due then due end,
      failures = job.failures,
      losses = job.losses,
      deferrals = job.deferrals,
      releases = case when cause = 'release' then job.releases else 0 end,
      lane = case when cause in ('release', 'rescue') then job.lane else holdfast.plain_lane(j.lane) end,
      deferred_since = job.deferred_since,
      units = job.units,
      worker_id = null,
      token = null,
      in_flight_at_start = null,
      is_probe = null,
      permit_lane = null,
      reserved = null,
      reserved_units = null,
      started_at = null,
      stop_at = null
  where j.id = job.id;
end
$$;
comment on function holdfast.put_back(holdfast.jobs, text, timestamptz) is 'Gives a locked running job back, ready or scheduled for later.';
