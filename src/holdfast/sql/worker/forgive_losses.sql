-- Turns losses into deferrals when a worker renews its lease after its jobs were rescued: it was late, not gone.
-- Once per job, because a handler that blocks the whole process makes its worker late every time, and must end dead.
create or replace function holdfast.forgive_losses(worker uuid)
returns void
language plpgsql volatile
as $$
declare
  lost constant uuid[] := array(
    select a.job_id
    from holdfast.attempts as a
    where a.worker_id = worker and a.outcome = 'lost');
  held uuid[];
begin
  -- A locked job keeps its loss: waiting for the lock could cost the worker its next lease.
  held := array(select j.id from holdfast.jobs as j where j.id = any (lost) order by j.id for update skip locked);
  with first as (
    select distinct on (a.job_id, a.visit) a.job_id, a.visit, a.attempt, a.counted
    from holdfast.attempts as a
    where a.worker_id = worker
      and a.outcome = 'lost'
      and (a.job_id = any (held) or not exists (select from holdfast.jobs as j where j.id = a.job_id))
      and not exists (
        select from holdfast.attempts as f
        where f.job_id = a.job_id and f.visit = a.visit and f.outcome = 'forgiven')
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
      -- It is no suspect any more, unless it runs as one already.
      lane = case when j.state in ('ready', 'scheduled') then holdfast.plain_lane(j.lane) else j.lane end
  -- Losses of an earlier stage or generation no longer count.
  from forgiven as f
  where j.id = any (held)
    and j.id = f.job_id
    and j.visit = f.visit;
end
$$;
