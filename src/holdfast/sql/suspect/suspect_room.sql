-- How many suspects of a lane a worker may claim now: one, if it holds nothing. Null: it must finish what it holds first, and claims nothing else.
create or replace function holdfast.suspect_room(of_worker uuid, of_lane integer)
returns integer
language plpgsql volatile
as $$
begin
  if not exists (
    select from holdfast.jobs as j
    where j.lane = of_lane and j.state = 'ready' and (j.deadline is null or j.deadline > holdfast.now())
  ) then
    return 0;
  end if;
  -- One claim of a worker at a time: of two, the second would not see what the first took.
  -- Skipped, not waited for: a renewal that holds the row may wait for jobs that this call settles.
  perform from holdfast.workers as w where w.id = of_worker for update skip locked;
  if not found then
    return null;
  elsif not exists (select from holdfast.jobs as j where j.worker_id = of_worker and j.state = 'running') then
    return 1;
  -- What cannot start anyway must not keep a worker from other work.
  elsif exists (select from holdfast.lane_blockers(of_lane, null) as b where b.blocks) then
    return 0;
  end if;
  return null;
end
$$;
comment on function holdfast.suspect_room(uuid, integer) is 'How many suspects of a lane a worker may claim now; null if it must finish what it holds first.';
