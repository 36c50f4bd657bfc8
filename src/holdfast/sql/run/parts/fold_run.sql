-- Adds the deltas of one locked run to its counts; true if that ended it.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.fold_run(run uuid)
returns boolean
language plpgsql volatile
as $$
declare
  folded holdfast.runs;
begin
  with taken as (
    delete from holdfast.run_deltas as d where d.run_id = run returning d.*
  ), summed as (
    select
      coalesce(sum(total), 0) as total, coalesce(sum(completed), 0) as completed,
      coalesce(sum(rejected), 0) as rejected, coalesce(sum(cancelled), 0) as cancelled, coalesce(sum(dead), 0) as dead,
      sum(units) as units, sum(cost) as cost
    from taken
  )
  update holdfast.runs as r
  set total = r.total + s.total,
      completed = r.completed + s.completed,
      rejected = r.rejected + s.rejected,
      cancelled = r.cancelled + s.cancelled,
      dead = r.dead + s.dead,
      units = coalesce(coalesce(r.units, 0) + s.units, r.units),
      cost = coalesce(coalesce(r.cost, 0) + s.cost, r.cost)
  from summed as s
  where r.id = run
  returning r.* into folded;
  if folded.parent_id is not null and not holdfast.notify_parent(folded) then
    -- The parent's row is locked: an empty delta makes the next call try again.
    insert into holdfast.run_deltas (run_id) values (run);
    return false;
  end if;
  if folded.ended_at is not null or not holdfast.run_is_done(folded) then
    return false;
  end if;
  update holdfast.runs as r set ended_at = holdfast.now() where r.id = run;
  if folded.on_complete is not null then
    perform holdfast.follow_run(folded);
  end if;
  return true;
end
$$;
