-- dead -> (stays dead): enqueues a job with an edited payload in place of a dead one, and links the two.
-- Payloads never change, so an edited payload is a new job: same task, queue, priority, order key, labels, stage and
-- trace.
-- Its origin is manual, its actor the given one.
-- The dead letter is resolved; its job can no longer be replayed. Returns the new id.
create or replace function holdfast.replace_job(job uuid, payload json, reason text default null,
  actor text default null)
returns uuid
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  past    holdfast.history;
  lane    record;
  new_job uuid;
begin
  -- The same lock as a replay: the job is either replayed or replaced.
  select h.* into past
  from holdfast.history as h
  where h.id = job and h.ended_at >= coalesce(holdfast.created_at(job), '-infinity') - interval '1 minute'
  for update;
  if not found and not exists (select from holdfast.jobs as j where j.id = job) then
    perform holdfast.refuse('HF004', format('There is no job %s.', job),
      'Check the id; ended jobs are deleted after the retention time of their queue.');
  end if;
  if past.state is distinct from 'dead' then
    perform holdfast.refuse('HF005', format('The job %s is not dead.', job),
      'Only a dead job can be replaced. Enqueue a new job instead.');
  end if;
  if exists (select from holdfast.dead_letters as d where d.job_id = job and d.replaced_by is not null) then
    perform holdfast.refuse('HF005', format('The job %s has already been replaced by another job.', job),
      'Replay or replace that other job.');
  end if;
  if payload is null then
    perform holdfast.refuse('HF001', 'payload must not be null.',
      'Pass the edited payload, or replay the job with its old payload.', '$');
  end if;
  select * into lane from holdfast.lane_of(past.lane);
  select e.job_id into new_job
  from holdfast.enqueue_jobs(array[past.task], array[payload], jsonb_strip_nulls(jsonb_build_object(
    'queue', past.queue, 'priority', past.priority, 'order_key', past.order_key, 'timeout', past.timeout,
    'group', nullif(lane."group", ''), 'endpoint', nullif(lane.endpoint, ''), 'max_failures', past.max_failures,
    'retry', past.retry, 'pipeline', past.pipeline, 'stage', past.stage, 'origin', 'manual',
    'actor', nullif(left(actor, 200), ''), 'trace', past.trace - 'attempt', 'rules', false
  )) || case when past.labels is null then '{}' else jsonb_build_object('labels', past.labels) end) as e;
  -- The option parent would need the parent's token; a replacement inherits the parent of the child.
  if past.parent_id is not null then
    update holdfast.jobs as j set parent_id = past.parent_id where j.id = new_job;
  end if;
  update holdfast.dead_letters as d set replaced_by = new_job, status = 'resolved' where d.job_id = job;
  perform holdfast.record_event('replace', job, past.run_id, past.queue, past.state, past.state, past.attempt, null,
    actor, reason, jsonb_build_object('replaced_by', new_job));
  perform holdfast.record_event('replace', new_job, null, past.queue, null,
    (select j.state from holdfast.jobs as j where j.id = new_job), 0, null, actor, reason,
    jsonb_build_object('replaces', job));
  return new_job;
end
$$;
