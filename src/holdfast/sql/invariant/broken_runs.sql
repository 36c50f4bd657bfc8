-- Violations of: the counters of a run are its rows. Rows that were pruned may be missing, never one too many.
create or replace function holdfast.broken_runs(max integer)
returns table (name text, job uuid, detail text)
language sql stable
as $$
  with newest as materialized (
    select
      v.id, v.total::bigint, v.completed, v.rejected, v.cancelled, v.dead,
      sum(greatest(v.total, 0)) over (order by v.id desc) as jobs_so_far
    from (select r.* from holdfast.run_view as r order by r.id desc limit max) as v
    where v.total <= max
  ), counted as materialized (
    -- Counts at most one row too many per run; the rows of all runs together are bounded as well.
    select n.*,
      (select count(*)
       from (select from holdfast.jobs as j where j.run_id = n.id limit greatest(n.total, 0) + 1) as l) as live
    from newest as n
    where n.jobs_so_far <= max
  )
  select 'run_does_not_add_up', null::uuid,
    format('run %s: %s jobs, but %s live and %s ended', c.id, c.total, c.live,
      c.completed + c.rejected + c.cancelled + c.dead)
  from counted as c
  where c.total <> c.live + c.completed + c.rejected + c.cancelled + c.dead
  union all
  select 'run_has_more_rows', null, format('run %s: %s counted as %s, %s rows', c.id, e.counted, e.state, e.rows)
  from counted as c
  cross join lateral (
    select h.state, count(*) as rows,
      case h.state
        when 'completed' then c.completed
        when 'rejected' then c.rejected
        when 'cancelled' then c.cancelled
        else c.dead
      end as counted
    from (select t.state from holdfast.history as t where t.run_id = c.id limit greatest(c.total, 0) + 1) as h
    group by h.state
  ) as e
  where e.rows > e.counted
$$;
