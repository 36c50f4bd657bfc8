-- running -> ready | scheduled: one locked job goes to its next stage. One that names no possible stage is dead.
create or replace function holdfast.advance_job(job holdfast.jobs, output json, detail jsonb)
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
  perform holdfast.check_option(detail);
  select q.* into policy from holdfast.queues as q where q.name = to_queue;
  insert into holdfast.stage_outputs (job_id, generation, visit, stage, output, attempt, worker_id, started_at, ended_at)
  values (job.id, job.generation, job.visit, coalesce(job.stage, ''), output, job.attempt, job.worker_id, job.started_at, at);
  -- What a stage saved is not the next one's: both may use the same names.
  delete from holdfast.checkpoints as c where c.job_id = job.id;
  if job.in_flight_at_start is not null then
    perform holdfast.settle_permits(
      array[array[job.lane, extract(epoch from job.started_at), job.in_flight_at_start, job.is_probe::integer, job.estimate, holdfast.read_number(detail -> 'units')]::double precision[]],
      true);
  end if;
  perform holdfast.record_moves(array[job.id], 'advance', case when is_later then 'scheduled' else 'ready' end);
  update holdfast.jobs as j
  set state = case when is_later then 'scheduled' else 'ready' end,
      due_at = case when is_later then at + delay end,
      priority = points,
      urgency = case when policy.ageing is null then points else 0 end,
      lead = make_interval(secs => 60 * points / policy.ageing),
      rank_at = case when not is_later then at - coalesce(make_interval(secs => 60 * points / policy.ageing), '0') end,
      stage = detail ->> 'stage',
      task = coalesce(detail ->> 'task', j.task),
      queue = to_queue,
      lane = holdfast.find_lane(to_queue, coalesce(detail ->> 'endpoint', policy.endpoint), detail ->> 'group'),
      visit = j.visit + 1,
      units = coalesce(coalesce(j.units, 0) + holdfast.read_number(detail -> 'units'), j.units),
      failures = 0, losses = 0, deferrals = 0, deferred_since = null,
      worker_id = null, token = null, started_at = null, stop_at = null, in_flight_at_start = null, is_probe = null
  where j.id = job.id;
exception
  -- The mistake of one handler must not undo the other ends of the call.
  when sqlstate 'HF002' or check_violation or numeric_value_out_of_range or datetime_field_overflow or interval_field_overflow then
    perform holdfast.fail_job(job, jsonb_build_object(
      'class', 'permanent', 'type', 'BadAdvance', 'message', 'The next stage is impossible: ' || sqlerrm
    ));
end
$$;
comment on function holdfast.advance_job(holdfast.jobs, json, jsonb) is 'Moves one locked job to its next stage, or buries it if that is impossible.';
