-- Inserts one delta row per run for jobs that ended together.
create or replace function holdfast.count_ends(run_ids uuid[], to_state text)
returns void
language sql volatile
as $$
  insert into holdfast.run_deltas (run_id, completed, rejected, cancelled, dead)
  select
    r,
    case when to_state = 'completed' then count(*) else 0 end,
    case when to_state = 'rejected' then count(*) else 0 end,
    case when to_state = 'cancelled' then count(*) else 0 end,
    case when to_state = 'dead' then count(*) else 0 end
  from unnest(run_ids) as r
  group by r
$$;
