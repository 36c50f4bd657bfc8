-- A worker that is heard from after its jobs were taken had not vanished: its losses become deferrals.
create or replace function holdfast.forgive_losses(worker uuid)
returns void
language plpgsql volatile
as $$
declare
  forgiven uuid[];  -- jobs for which that loss still counts
begin
  with turned as (
    update holdfast.attempts as a
    set outcome = 'forgiven', counted = false
    where a.worker_id = worker
      and a.outcome = 'lost'
    returning a.job_id, a.generation, a.visit
  )
  select array_agg(j.id) into forgiven
  from turned as t
  join holdfast.jobs as j on j.id = t.job_id and j.generation = t.generation and j.visit = t.visit;
  update holdfast.jobs as j
  set losses = greatest(0, j.losses - 1),
      deferrals = j.deferrals + 1
  where j.id = any (array(
    select l.id from holdfast.jobs as l where l.id = any (forgiven) order by l.id for update skip locked
  ));
end
$$;
comment on function holdfast.forgive_losses(uuid) is 'Turns the losses of a worker that was heard from again into deferrals.';
