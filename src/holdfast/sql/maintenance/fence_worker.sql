-- Marks a worker as rescued if its lease has ended, checked again under its lock; an earlier renewal wins.
create or replace function holdfast.fence_worker(worker uuid)
returns boolean
language plpgsql volatile
as $$
declare
  row holdfast.workers;
begin
  select w.* into row from holdfast.workers as w where w.id = worker for update skip locked;
  if not found then
    return not exists (select from holdfast.workers as w where w.id = worker);
  end if;
  if row.state <> 'stopped' and row.lease_until >= holdfast.now() then
    return false;
  end if;
  update holdfast.workers as w
  set rescued_at = coalesce(w.rescued_at, holdfast.now()),
      -- Counted once: when a rescue takes several rounds, its last job did not run alone.
      lost_jobs = case
        when w.rescued_at is null
          then (select count(*) from holdfast.jobs as j where j.worker_id = worker and j.state = 'running')
        else w.lost_jobs
      end
  where w.id = worker;
  return true;
end
$$;
