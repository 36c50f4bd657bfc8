-- working | draining -> stopped: a worker leaves. What it still holds is given back uncharged.
create or replace function holdfast.stop_worker(worker uuid)
returns integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  held     uuid[];
  tokens   uuid[];
begin
  select array_agg(j.id order by j.id), array_agg(j.token order by j.id) into held, tokens
  from holdfast.jobs as j
  where j.worker_id = worker
    and j.state = 'running';
  if held is not null then
    perform holdfast.release_jobs(held, tokens);
  end if;
  update holdfast.workers as w
  set state = 'stopped', stopped_at = holdfast.now(), running = 0
  where w.id = worker
    and w.state <> 'stopped';
  return coalesce(cardinality(held), 0);
end
$$;
comment on function holdfast.stop_worker(uuid) is 'Takes a worker off; jobs that it still holds are released. Returns how many.';
