-- open | sealed -> sealed: seals a run and cancels its live jobs, a batch at a time.
create or replace function holdfast.cancel_run(run uuid, reason text default null, actor text default null, max integer default 10000)
returns integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  ids   uuid[];
  asked integer;
begin
  perform holdfast.check_count('max', max);
  update holdfast.runs as r
  set sealed_at = coalesce(r.sealed_at, holdfast.now()), cancelled_at = case when r.ended_at is null then coalesce(r.cancelled_at, holdfast.now()) else r.cancelled_at end
  where r.id = run;
  if not found then
    perform holdfast.refuse('HF004', format('There is no run %s.', run), 'Look at holdfast.run_view for the runs there are.');
  end if;
  ids := array(
    select j.id from holdfast.jobs as j
    where j.run_id = run and j.cancel_asked_at is null
    order by j.id limit max
  );
  select count(*) into asked from holdfast.cancel_jobs(ids, reason, actor) as c where c.result in ('cancelled', 'asked');
  perform holdfast.fold_run(run);
  perform holdfast.record_event('cancel_run', null, run, null, null, null, null, null, actor, reason, jsonb_build_object('jobs', asked));
  return asked;
end
$$;
comment on function holdfast.cancel_run(uuid, text, text, integer) is 'Seals a run and cancels its live jobs; returns how many, call again until 0.';
