-- Folds the deltas of runs into their rows, ends sealed runs whose last job has ended, and enqueues their on_complete once.
create or replace function holdfast.close_runs(max integer default 100)
returns integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  run   holdfast.runs;
  ended integer := 0;
begin
  perform holdfast.check_count('max', max);
  for run in
    select r.* from holdfast.runs as r
    where r.id = any (array(select distinct d.run_id from holdfast.run_deltas as d limit max))
    order by r.id
    for update skip locked
  loop
    ended := ended + holdfast.fold_run(run.id)::integer;
  end loop;
  return ended;
end
$$;
comment on function holdfast.close_runs(integer) is 'Folds the counts of runs and ends those that are done; returns how many ended.';
