-- A worker that is heard from after its jobs were taken had not vanished: its losses become deferrals.
create or replace function holdfast.forgive_losses(worker uuid)
returns void
language plpgsql volatile
as $$
declare
  lost constant uuid[] := array(select a.job_id from holdfast.attempts as a where a.worker_id = worker and a.outcome = 'lost');
  held uuid[];
begin
  -- A job that is locked just then keeps its loss: waiting for it could cost the worker its next lease.
  held := array(select j.id from holdfast.jobs as j where j.id = any (lost) order by j.id for update skip locked);
  with forgiven as (
    update holdfast.attempts as a
    set outcome = 'forgiven', counted = false
    where a.worker_id = worker
      and a.outcome = 'lost'
      and (a.job_id = any (held) or not exists (select from holdfast.jobs as j where j.id = a.job_id))
    returning a.job_id, a.visit
  )
  update holdfast.jobs as j
  set losses = greatest(0, j.losses - f.times),
      deferrals = j.deferrals + f.times
  -- A loss of an earlier stage or generation no longer counts.
  from (select job_id, visit, count(*)::integer as times from forgiven group by job_id, visit) as f
  where j.id = any (held)
    and j.id = f.job_id
    and j.visit = f.visit;
end
$$;
comment on function holdfast.forgive_losses(uuid) is 'Turns the losses of a worker that was heard from again into deferrals.';
