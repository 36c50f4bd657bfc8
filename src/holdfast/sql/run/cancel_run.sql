-- open | sealed -> sealed: seals a run and cancels its live jobs, at most max per call.
-- Running jobs are asked to stop, as by cancel_jobs. Returns how many were cancelled or asked: call again until it is
-- 0.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.cancel_run(run uuid, reason text default null, actor text default null,
  max integer default 10000)
returns integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  level record;
begin
  perform holdfast.check_count('max', max);
  if not exists (select from holdfast.runs as r where r.id = run) then
    perform holdfast.refuse('HF004', format('There is no run %s.', run),
      'The view holdfast.run_view lists all runs.');
  end if;
  select * into level from holdfast.cancel_level(array[run], max, reason, actor);
  perform holdfast.cancel_children(level.ended);
  perform holdfast.fold_run(run);
  return level.asked;
end
$$;
