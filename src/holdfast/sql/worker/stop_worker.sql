-- working | draining -> stopped: a worker leaves; jobs that it still holds become ready again, at no cost to them.
-- info: the counters of renew_lease. Returns how many jobs it gave back.
create or replace function holdfast.stop_worker(worker uuid, info jsonb default '{}')
returns integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  released integer;
begin
  perform from holdfast.workers as w where w.id = worker for update;
  released := holdfast.release_held(worker);
  update holdfast.workers as w
  set state = 'stopped', stopped_at = holdfast.now(), running = 0,
      processed = coalesce((info ->> 'processed')::bigint, w.processed),
      failed = coalesce((info ->> 'failed')::bigint, w.failed),
      released = coalesce((info ->> 'released')::bigint, w.released),
      database_seconds = holdfast.count_database_time(info -> 'database', w.database_seconds)
  where w.id = worker
    and w.state <> 'stopped';
  return released;
end
$$;
