-- running | waiting -> ready | scheduled: puts a locked job at a stage; the detail names what differs from now.
create or replace function holdfast.enter_stage(job holdfast.jobs, detail jsonb, to_visit integer)
returns void
language plpgsql volatile
as $$
declare
  at       constant timestamptz := holdfast.now();
  delay    constant interval := make_interval(secs => least(31536000, coalesce(holdfast.read_number(detail -> 'delay'), 0)));
  is_later constant boolean := delay > '0';
  points   constant double precision := coalesce(holdfast.read_number(detail -> 'priority'), job.priority);
  to_queue constant text := coalesce(detail ->> 'queue', job.queue);
  policy   holdfast.queues;
begin
  select q.* into policy from holdfast.queues as q where q.name = to_queue;
  perform holdfast.record_moves(array[job.id], 'advance', case when is_later then 'scheduled' else 'ready' end);
  update holdfast.jobs as j
  set state = case when is_later then 'scheduled' else 'ready' end,
      due_at = case when is_later then at + delay end,
      waits_for = null,
      priority = points,
      urgency = case when policy.ageing is null then points else 0 end,
      lead = make_interval(secs => 60 * points / policy.ageing),
      rank_at = case when not is_later then at - coalesce(make_interval(secs => 60 * points / policy.ageing), '0') end,
      stage = detail ->> 'stage',
      task = coalesce(detail ->> 'task', j.task),
      queue = to_queue,
      lane = holdfast.own_lane(holdfast.find_lane(to_queue, coalesce(detail ->> 'endpoint', policy.endpoint), detail ->> 'group'),
        coalesce(detail ->> 'task', j.task), j.run_id),
      timeout = case when detail ? 'timeout' then holdfast.read_interval(detail -> 'timeout') else j.timeout end,
      visit = to_visit,
      units = coalesce(coalesce(j.units, 0) + holdfast.read_number(detail -> 'units'), j.units),
      failures = 0, losses = 0, deferrals = 0, releases = 0, deferred_since = null,
      worker_id = null, token = null, started_at = null, stop_at = null, in_flight_at_start = null, is_probe = null,
      permit_lane = null, reserved = null, reserved_units = null
  where j.id = job.id;
end
$$;
comment on function holdfast.enter_stage(holdfast.jobs, jsonb, integer) is 'Puts a locked job at a stage, with fresh counters.';
