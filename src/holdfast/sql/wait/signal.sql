-- waiting -> ready: delivers data to a job that waits for a signal of this name, now or later.
-- A signal that arrives before the wait is kept for it. Of several with the same name the first counts.
-- Returns resumed (the job waited and is ready now), kept (it will find the signal), duplicate (the name has been
-- signalled already) or ended.
-- plan: no seqscan
create or replace function holdfast.signal(job uuid, name text, data json default 'null', actor text default null)
returns text
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_variable
declare
  held    holdfast.jobs;
  problem text := coalesce(holdfast.payload_problem(coalesce(data, 'null')::text), holdfast.repeated_key(data::text));
begin
  if name is null or length(name) not between 1 and 200 then
    perform holdfast.refuse('HF002', 'The name of a signal must have 1 to 200 characters.',
      'Choose a name that says what the job waits for.');
  elsif problem is not null or octet_length(data::text) > 1048576 then
    perform holdfast.refuse('HF001',
      format('The data of the signal %s is refused: %s.', name, coalesce(problem, 'it is longer than 1048576 bytes')),
      'Send JSON that PostgreSQL can store without a change. Store large data elsewhere, and send a reference to it.',
      '$');
  end if;
  select j.* into held from holdfast.jobs as j where j.id = job for update;
  if not found then
    if exists (
      select from holdfast.history as h
      where h.id = job and h.ended_at >= coalesce(holdfast.created_at(job), '-infinity') - interval '1 minute') then
      return 'ended';
    end if;
    perform holdfast.refuse('HF004', format('There is no job %s.', job),
      'Check the id; ended jobs are deleted after the retention time of their queue.');
  end if;
  if exists (select from holdfast.find_signal(held, name)) then
    return 'duplicate';
  end if;
  insert into holdfast.signals (job_id, name, data, actor, sent_at)
  values (job, name, coalesce(data, 'null'), actor, holdfast.now());
  perform holdfast.record_event('signal', job, held.run_id, held.queue, held.state,
    case when held.waits_for = 'signal:' || name then 'ready' else held.state end, held.attempt, null, actor, name);
  if held.waits_for = 'signal:' || name then
    perform holdfast.wake(held, 'signal');
    return 'resumed';
  end if;
  return 'kept';
end
$$;
