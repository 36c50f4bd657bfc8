-- asked -> taken: registers the worker that was started from a continuation.
-- queues and info are those of register_worker. taken is false if another worker was faster, or the work is done:
-- exit. Claim nothing before starts_in has passed; checkpoint is what the predecessor handed over.
create or replace function holdfast.take_continuation(continuation uuid, worker uuid, queues text[],
  info jsonb default '{}')
returns table (taken boolean, lease_until timestamptz, starts_in interval, index integer, run uuid, claim_size integer,
  checkpoint jsonb)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_variable
declare
  row holdfast.continuations;
begin
  perform holdfast.check_object('info', info);
  select c.* into row from holdfast.continuations as c where c.id = continuation for update;
  if not found then
    perform holdfast.refuse('HF004', format('There is no continuation %s.', continuation),
      'Start the worker without a continuation. The view holdfast.continuation_view lists all continuations.');
  end if;
  taken := row.closed_at is null and coalesce(row.taken_by, worker) = worker;
  index := row.link;
  run := row.run_id;
  claim_size := row.claim_size;
  checkpoint := row.checkpoint;
  if not taken then
    return next;
    return;
  end if;
  update holdfast.continuations as c
  set taken_at = coalesce(c.taken_at, holdfast.now()), taken_by = worker
  where c.id = continuation;
  starts_in := greatest(row.due_at - holdfast.now(), '0');
  lease_until := holdfast.register_worker(worker, queues,
    jsonb_strip_nulls(jsonb_build_object('claim_size', claim_size)) || info
    || jsonb_build_object('index', index, 'run', run));
  return next;
end
$$;
