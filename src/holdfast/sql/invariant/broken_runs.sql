-- Violations of: the counters of a run are its rows. Rows that were pruned may be missing, never one too many.
create or replace function holdfast.broken_runs(max integer)
returns table (name text, job uuid, detail text)
language sql stable
as $$
  with counted as materialized (
    select v.*, (select count(*) from holdfast.jobs as j where j.run_id = v.id) as live
    from (select r.* from holdfast.run_view as r order by r.id desc limit max) as v
    where v.total <= max
  )
  select 'run_does_not_add_up', null::uuid, format('run %s: %s jobs, but %s live and %s ended', c.id, c.total, c.live, c.completed + c.rejected + c.cancelled + c.dead)
  from counted as c
  where c.total <> c.live + c.completed + c.rejected + c.cancelled + c.dead
  union all
  select 'run_has_more_rows', null, format('run %s: %s counted as %s, %s rows', c.id, e.counted, e.state, e.rows)
  from counted as c
  cross join lateral (
    select h.state, count(*) as rows,
      case h.state when 'completed' then c.completed when 'rejected' then c.rejected when 'cancelled' then c.cancelled else c.dead end as counted
    from holdfast.history as h
    where h.run_id = c.id
    group by h.state
  ) as e
  where e.rows > e.counted
$$;
comment on function holdfast.broken_runs(integer) is 'Runs whose counters are not their rows.';
