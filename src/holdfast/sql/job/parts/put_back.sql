-- running -> scheduled | ready: gives locked jobs back, with due_at and the counters that the caller set in the rows.
-- After an attempt that ended by itself a job is no suspect; for a rescue or a release the caller sets the lane.
-- plan: no seqscan, no bitmapscan, no nestloop, no mergejoin
create or replace function holdfast.put_back(jobs holdfast.jobs[], cause text)
returns void
language plpgsql volatile
as $$
declare
  at        constant timestamptz := holdfast.now();
  ids       constant uuid[] := array(select n.id from unnest(jobs) as n);
  keeps_way constant boolean := cause in ('release', 'rescue');
begin
  -- A release has recorded its own event, with a reason.
  if cause <> 'release' and exists (select from holdfast.queues as q where q.detail = 'full') then
    perform holdfast.record_moves(array(select n.id from unnest(jobs) as n where n.due_at <= at), cause, 'ready');
    perform holdfast.record_moves(array(select n.id from unnest(jobs) as n where n.due_at > at), cause, 'scheduled');
  end if;
  with plain as materialized (
    select l.lane, case when keeps_way then l.lane else holdfast.plain_lane(l.lane) end as to_lane
    from (select distinct n.lane from unnest(jobs) as n) as l
  )
  update holdfast.jobs as j
  set state = case when n.due_at <= at then 'ready' else 'scheduled' end,
      rank_at = case when n.due_at <= at then at - coalesce(j.lead, '0') end,
      due_at = case when n.due_at > at then n.due_at end,
      failures = n.failures,
      losses = n.losses,
      deferrals = n.deferrals,
      releases = case when cause = 'release' then n.releases else 0 end,
      lane = p.to_lane,
      deferred_since = n.deferred_since,
      units = n.units,
      cost = n.cost,
      worker_id = null,
      token = null,
      in_flight_at_start = null,
      is_probe = null,
      permit_lane = null,
      reserved = null,
      reserved_units = null,
      started_at = null,
      stop_at = null
  from unnest(jobs) as n
  join plain as p on p.lane = n.lane
  where j.id = any (ids)
    and j.id = n.id;
end
$$;
