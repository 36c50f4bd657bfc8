-- stopped | lost -> (nothing): deletes rows of workers that left or vanished, and of continuations that are over.
-- The workers are added to the counts that left_workers reads. Those that still hold jobs stay until rescue_jobs has
-- taken them. Returns how many workers were deleted.
create or replace function holdfast.forget_workers(older_than interval default '1 day')
returns integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  old constant uuid[] := array(
    select o.id from holdfast.workers as o
    where greatest(o.lease_until, o.stopped_at) < holdfast.now() - older_than
      and not exists (select from holdfast.jobs as j where j.worker_id = o.id and j.state = 'running')
    order by o.id
    for update skip locked);
begin
  perform holdfast.fold_left_workers(old);
  delete from holdfast.workers as w where w.id = any (old);
  delete from holdfast.avoided_lanes as a where a.until < holdfast.now();
  delete from holdfast.continuations as c where coalesce(c.taken_at, c.closed_at) < holdfast.now() - older_than;
  return cardinality(old);
end
$$;
