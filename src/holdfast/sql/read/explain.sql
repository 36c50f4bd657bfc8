-- Why a job is not running, first blocker first, and until when if that is known. No row: a worker may claim it now.
create or replace function holdfast.explain(job uuid)
returns table (blocker text, detail text, until timestamptz)
language plpgsql stable security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_column
declare
  held holdfast.jobs;
begin
  select j.* into held from holdfast.jobs as j where j.id = job;
  if not found then
    return query
      select 'ended', format('It is %s since %s%s.', h.state, h.ended_at, ': ' || h.reason), null::timestamptz
      from holdfast.history as h
      where h.id = job and h.ended_at >= coalesce(holdfast.created_at(job), '-infinity') - interval '1 minute';
    return;
  end if;
  if held.state = 'running' then
    return query
      select 'running', format('Worker %s on %s has it since %s, attempt %s.', w.id, coalesce(w.host, 'an unknown host'), held.started_at, held.attempt), held.stop_at
      from (select held.worker_id as id) as one left join holdfast.workers as w on w.id = one.id;
  end if;
  if held.deadline < holdfast.now() then
    return query select 'deadline_passed', format('Its deadline was %s; the next sweep buries it.', held.deadline), null::timestamptz;
  end if;
  if held.state = 'waiting' and held.waits_for = 'order' then
    return query select 'order', format('Order key %s is held by job %s.', held.order_key, k.head), null::timestamptz
      from holdfast.order_keys as k where k.key = held.order_key;
  elsif held.state = 'waiting' then
    return query select 'waiting', format('It waits for %s.', held.waits_for), null::timestamptz;
  elsif held.state = 'scheduled' and held.due_at > holdfast.now() then
    return query select 'scheduled', case when held.failures + held.deferrals > 0 then 'It waits for its next try.' else 'It is not due yet.' end, held.due_at;
  end if;
  return query select b.* from holdfast.lane_blockers(held.lane) as b where held.state <> 'running';
end
$$;
comment on function holdfast.explain(uuid) is 'Why a job is not running, first blocker first, and until when if that is known.';
