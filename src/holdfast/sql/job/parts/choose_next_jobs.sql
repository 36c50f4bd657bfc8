-- Locks the next ready jobs of a lane and returns them; rows that other transactions have locked are skipped.
create or replace function holdfast.choose_next_jobs(in_lane integer, wanted integer, at timestamptz)
returns uuid[]
language plpgsql volatile
as $$
declare
  chosen uuid[] := '{}';
  below  smallint := 32767;
  mark   record;
begin
  -- Usually there are no marks, and the last scan alone runs.
  for mark in
    select m.urgency, m.rank_at from holdfast.lane_marks as m where m.lane = in_lane order by m.urgency desc
  loop
    chosen := chosen || array(
      select c.id from holdfast.jobs as c
      where c.lane = in_lane and c.state = 'ready' and c.urgency < below and c.urgency > mark.urgency
        and (c.deadline is null or c.deadline > at)
      order by c.urgency desc, c.rank_at, c.id limit wanted - cardinality(chosen) for update skip locked
    );
    chosen := chosen || array(
      select c.id from holdfast.jobs as c
      where c.lane = in_lane and c.state = 'ready' and c.urgency = mark.urgency and c.rank_at >= mark.rank_at
        and (c.deadline is null or c.deadline > at)
      order by c.rank_at, c.id limit greatest(wanted - cardinality(chosen), 0) for update skip locked
    );
    if cardinality(chosen) >= wanted then
      return chosen;
    end if;
    below := mark.urgency;
  end loop;
  return chosen || array(
    select c.id
    from holdfast.jobs as c
    where c.lane = in_lane
      and c.state = 'ready'
      and c.urgency < below
      and (c.deadline is null or c.deadline > at)
    order by c.urgency desc, c.rank_at, c.id
    limit wanted - cardinality(chosen)
    for update skip locked
  );
end
$$;
