-- running -> running: records a call of a model or tool, and saves its result as a checkpoint, both or neither.
-- call: kind (model or tool), name, units, seconds, finish_reason, argument_bytes, error. Without checkpoint only the
-- record is written. A repeated call with the same checkpoint and data changes nothing.
-- Returns false if the token is outdated: stop working on the job.
-- plan: no seqscan
create or replace function holdfast.save_call(
  job uuid, token uuid, call jsonb, checkpoint text default null, data json default null
)
returns boolean
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_variable
declare
  held holdfast.jobs;
begin
  perform holdfast.check_object('call', call);
  -- Not a shared lock: two calls of one job must not get the same number.
  select j.* into held from holdfast.jobs as j where j.id = job and j.token = save_call.token for no key update;
  if not found then
    return false;
  end if;
  -- A repetition after a commit whose answer was lost.
  if exists (
    select from holdfast.checkpoints as c
    where c.job_id = job and c.name = checkpoint and c.data::text = save_call.data::text) then
    return true;
  end if;
  insert into holdfast.calls (
    job_id, generation, visit, seq, attempt, kind, name, units, seconds, finish_reason, argument_bytes, error, at,
    queue, task, pipeline, stage, cost
  )
  select job, held.generation, held.visit, coalesce(max(c.seq), 0) + 1, held.attempt,
    call ->> 'kind',
    left(holdfast.sanitise_text(call ->> 'name'), 200),
    holdfast.read_number(call -> 'units'),
    coalesce(holdfast.read_number(call -> 'seconds'), 0),
    left(holdfast.sanitise_text(call ->> 'finish_reason'), 200),
    holdfast.read_number(call -> 'argument_bytes')::integer,
    left(holdfast.sanitise_text(call ->> 'error'), 500),
    holdfast.now(), held.queue, held.task,
    holdfast.pipeline_of(held.pipeline, held.stage, held.parent_id), held.stage,
    holdfast.cost_of_units(holdfast.read_number(call -> 'units'), coalesce(held.permit_lane, held.lane))
  from holdfast.calls as c
  where c.job_id = job and c.generation = held.generation and c.visit = held.visit;
  return checkpoint is null or holdfast.save_checkpoint(job, token, checkpoint, data);
exception
  when check_violation or not_null_violation or numeric_value_out_of_range then
    perform holdfast.refuse('HF002', 'call must have a kind (model or tool), a name, and no negative numbers.',
      'Pass {"kind": "tool", "name": "look_up", "seconds": 0.2}.');
end
$$;
