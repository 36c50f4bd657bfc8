-- Records attempts of locked jobs that failed, were deferred after an error, or were lost.
-- due_at of a row says when the job is tried again. Errors come in swarms: each text is sanitised once per call.
-- plan: no seqscan, no bitmapscan, no nestloop, no mergejoin
create or replace function holdfast.record_attempts(
  jobs holdfast.jobs[], outcomes text[], classes text[], counted boolean[], details jsonb[]
)
returns void
language plpgsql volatile
as $$
#variable_conflict use_column
begin
  with tried as materialized (
    select
      j.*, e.outcome, e.class, e.is_counted,
      e.detail ->> 'type' as raw_type, e.detail ->> 'message' as raw_message, e.detail ->> 'place' as raw_place,
      e.detail ->> 'traceback' as raw_traceback
    from unnest(jobs) with ordinality as j
    join rows from (unnest(outcomes), unnest(classes), unnest(counted), unnest(details))
      with ordinality as e (outcome, class, is_counted, detail, ordinality) using (ordinality)
  ), said as materialized (
    select t.raw, holdfast.sanitise_text(t.raw) as safe
    from (
      select raw_type as raw from tried
      union
      select raw_message from tried
      union
      select raw_place from tried
      union
      select raw_traceback from tried
    ) as t
  )
  insert into holdfast.attempts (
    job_id, attempt, generation, visit, outcome, class, counted, queue, task, stage, worker_id, token, host, version,
    started_at, ended_at, retry_at, lease_until, error_type, message, place, traceback, fingerprint,
    pipeline
  )
  select
    t.id, t.attempt, t.generation, t.visit, t.outcome, t.class, t.is_counted, t.queue, t.task, t.stage,
    t.worker_id, t.token, w.host, w.version, t.started_at, holdfast.now(), t.due_at,
    case when t.outcome = 'lost' then w.lease_until end,
    left(type.safe, 200), message.safe, left(place.safe, 500), traceback.safe,
    holdfast.fingerprint(t.class, type.safe, message.safe, place.safe),
    -- Only a branch needs the look at its parent, which costs more than the rest of the row.
    case when t.parent_id is null then t.pipeline else holdfast.pipeline_of(t.pipeline, t.stage, t.parent_id) end
  from tried as t
  left join holdfast.workers as w on w.id = t.worker_id
    and w.id = any (array(select distinct o.worker_id from tried as o))
  left join said as type on type.raw = t.raw_type
  left join said as message on message.raw = t.raw_message
  left join said as place on place.raw = t.raw_place
  left join said as traceback on traceback.raw = t.raw_traceback
  on conflict (job_id, attempt) do nothing;
end
$$;
