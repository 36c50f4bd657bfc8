-- The next ready jobs of a lane; for a probe the one with the fewest tries among the first hundred, so that a job that
-- always fails cannot keep the circuit open. With chosen, that job alone, found by its id.
create or replace function holdfast.candidates(
  in_lane integer, at timestamptz, room integer, probing boolean, chosen uuid
)
returns table (id uuid, estimate double precision, run_id uuid)
language plpgsql volatile
as $$
#variable_conflict use_column
begin
  if chosen is not null then
    return query
      select c.id, c.estimate, c.run_id
      from holdfast.jobs as c
      where c.id = chosen
        and c.lane = in_lane
        and c.state = 'ready'
        and (c.deadline is null or c.deadline > at)
        and room > 0
      for update skip locked;
    return;
  end if;
  return query
    with first as materialized (
      select c.id, c.estimate, c.run_id, c.failures + c.losses + c.deferrals as tries, c.urgency, c.rank_at
      from holdfast.jobs as c
      where c.lane = in_lane
        and c.state = 'ready'
        and (c.deadline is null or c.deadline > at)
      order by c.urgency desc, c.rank_at, c.id
      limit case when probing then 100 else greatest(room, 0) end
      for update skip locked
    )
    select f.id, f.estimate, f.run_id
    from first as f
    order by case when probing then f.tries else 0 end, f.urgency desc, f.rank_at, f.id
    limit greatest(room, 0);
end
$$;
