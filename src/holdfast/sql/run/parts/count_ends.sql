-- Inserts one delta row per run for jobs that ended together; units and costs are those of their last stage visits.
create or replace function holdfast.count_ends(
  run_ids uuid[], to_state text, units double precision[], costs double precision[]
)
returns void
language sql volatile
as $$
  insert into holdfast.run_deltas (run_id, completed, rejected, cancelled, dead, units, cost)
  select
    e.run,
    case when to_state = 'completed' then count(*) else 0 end,
    case when to_state = 'rejected' then count(*) else 0 end,
    case when to_state = 'cancelled' then count(*) else 0 end,
    case when to_state = 'dead' then count(*) else 0 end,
    sum(e.units),
    sum(e.cost)
  from rows from (unnest(run_ids), unnest(units), unnest(costs)) as e (run, units, cost)
  group by e.run
$$;
