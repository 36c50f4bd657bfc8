-- sealed -> ended: updates the counts of runs and ends those whose last job has ended.
-- Enqueues the on_complete of a run once. Goes on with children whose parent has ended, if not all were cancelled with
-- it. Looks at up to max runs with changes, those that changed first. Returns how many ended.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.close_runs(max integer default 100)
returns integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  run       holdfast.runs;
  is_orphan boolean;
  ended     integer := 0;
begin
  perform holdfast.check_count('max', max);
  for run in
    select r.* from holdfast.runs as r
    where r.id = any (array(
      select distinct f.run_id
      from (select d.run_id from holdfast.run_deltas as d order by d.id limit 100 * max) as f
      limit max
    ))
    order by r.id
    for update skip locked
  loop
    is_orphan := holdfast.has_orphans(run);
    if holdfast.fold_run(run.id) then
      ended := ended + 1;
    elsif is_orphan then
      perform holdfast.cancel_children(l.ended)
      from holdfast.cancel_level(array[run.id], 10000, 'its parent has ended', null) as l;
    end if;
  end loop;
  return ended;
end
$$;
