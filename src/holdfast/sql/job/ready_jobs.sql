-- The next ready jobs of a lane, locked; what somebody else has locked is passed over.
create or replace function holdfast.ready_jobs(in_lane integer, wanted integer, at timestamptz)
returns uuid[]
language plpgsql volatile
as $$
begin
  return array(
    select c.id
    from holdfast.jobs as c
    where c.lane = in_lane
      and c.state = 'ready'
      and (c.deadline is null or c.deadline > at)
    order by c.urgency desc, c.rank_at, c.id
    limit wanted
    for update skip locked
  );
end
$$;
comment on function holdfast.ready_jobs(integer, integer, timestamptz) is 'The next ready jobs of a lane, locked.';
