-- waiting -> ready: tells a job what it waits for. What comes before the wait is kept; of several the first counts.
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
    perform holdfast.refuse('HF002', 'A signal needs a name of 1 to 200 characters.', 'Name what the job waits for.');
  elsif problem is not null or octet_length(data::text) > 1048576 then
    perform holdfast.refuse('HF001', format('The data of the signal %s is refused: %s.', name, coalesce(problem, 'it is longer than 1048576 bytes')),
      'Send where the data is, not the data.', '$');
  end if;
  select j.* into held from holdfast.jobs as j where j.id = job for update;
  if not found then
    if exists (select from holdfast.history as h where h.id = job and h.ended_at >= coalesce(holdfast.created_at(job), '-infinity') - interval '1 minute') then
      return 'ended';
    end if;
    perform holdfast.refuse('HF004', format('There is no job %s.', job), 'Check the id; ended jobs are pruned after their queue''s retention.');
  end if;
  if exists (select from holdfast.find_signal(held, name)) then
    return 'duplicate';
  end if;
  insert into holdfast.signals (job_id, name, data, actor, sent_at) values (job, name, coalesce(data, 'null'), actor, holdfast.now());
  perform holdfast.record_event('signal', job, held.run_id, held.queue, held.state,
    case when held.waits_for = 'signal:' || name then 'ready' else held.state end, held.attempt, null, actor, name);
  if held.waits_for = 'signal:' || name then
    perform holdfast.wake(held, 'signal');
    return 'resumed';
  end if;
  return 'kept';
end
$$;
comment on function holdfast.signal(uuid, text, json, text)
  is 'Tells a job something by name: resumed (it waited for it), kept (for a wait to come), duplicate (it was told before, the first counts) or ended.';
