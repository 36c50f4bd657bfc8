-- sealed -> ended: updates the counts of runs and ends those whose last job has ended.
-- Enqueues the on_complete of a run once. Goes on with children whose parent has ended, if not all were cancelled with
-- it. Looks at up to max runs with changes, by id from one at random: else runs that change all the time could keep the
-- others out. Returns how many ended.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.close_runs(max integer default 100)
returns integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  first     constant uuid := (
    select d.run_id
    from holdfast.run_deltas as d
    where d.id >= (
      select min(m.id) + floor(random() * (max(m.id) - min(m.id) + 1))::bigint from holdfast.run_deltas as m)
    order by d.id
    limit 1
  );
  next      uuid := first;
  following uuid;
  wrapped   boolean := false;
  run       holdfast.runs;
  is_orphan boolean;
  looked    integer := 0;
  ended     integer := 0;
begin
  perform holdfast.check_count('max', max);
  while next is not null and not (wrapped and next >= first) and looked < max loop
    select r.* into run from holdfast.runs as r where r.id = next for update skip locked;
    if found then
      looked := looked + 1;
      is_orphan := holdfast.has_orphans(run);
      if holdfast.fold_run(run.id) then
        ended := ended + 1;
      elsif is_orphan then
        perform holdfast.cancel_children(l.ended)
        from holdfast.cancel_level(array[run.id], 10000, 'its parent has ended', null) as l;
      end if;
    end if;
    following := (select d.run_id from holdfast.run_deltas as d where d.run_id > next order by d.run_id limit 1);
    if following is null and not wrapped then
      wrapped := true;
      following := (select d.run_id from holdfast.run_deltas as d order by d.run_id limit 1);
    end if;
    next := following;
  end loop;
  return ended;
end
$$;
