-- A worker that is heard from after its jobs were taken had not vanished: its losses become deferrals, each job's once.
-- Once, because code that holds the interpreter wakes up every time: its job would never be dead.
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
  with first as (
    select distinct on (a.job_id, a.visit) a.job_id, a.visit, a.attempt, a.counted
    from holdfast.attempts as a
    where a.worker_id = worker
      and a.outcome = 'lost'
      and (a.job_id = any (held) or not exists (select from holdfast.jobs as j where j.id = a.job_id))
      and not exists (select from holdfast.attempts as f where f.job_id = a.job_id and f.visit = a.visit and f.outcome = 'forgiven')
    order by a.job_id, a.visit, a.attempt
  ), forgiven as (
    update holdfast.attempts as a
    set outcome = 'forgiven', counted = false
    from first as f
    where a.job_id = f.job_id
      and a.attempt = f.attempt
    returning f.*
  )
  update holdfast.jobs as j
  set losses = greatest(0, j.losses - f.counted::integer),
      deferrals = j.deferrals + f.counted::integer,
      -- Cleared, too. What runs as a suspect already ends so.
      lane = case when j.state in ('ready', 'scheduled') then holdfast.plain_lane(j.lane) else j.lane end
  -- A loss of an earlier stage or generation no longer counts.
  from forgiven as f
  where j.id = any (held)
    and j.id = f.job_id
    and j.visit = f.visit;
end
$$;
comment on function holdfast.forgive_losses(uuid) is 'Turns the losses of a worker that was heard from again into deferrals, each job''s once.';
