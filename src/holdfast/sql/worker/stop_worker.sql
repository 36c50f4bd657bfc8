-- working | draining -> stopped: a worker leaves. What it still holds is given back uncharged.
create or replace function holdfast.stop_worker(worker uuid)
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
  set state = 'stopped', stopped_at = holdfast.now(), running = 0
  where w.id = worker
    and w.state <> 'stopped';
  return released;
end
$$;
comment on function holdfast.stop_worker(uuid) is 'Takes a worker off; jobs that it still holds are released. Returns how many.';
