-- Makes the lanes of suspects beside the given ones, where they are missing. In one order, so that two callers cannot wait for each other.
create or replace function holdfast.name_suspect_lanes(beside integer[])
returns void
language plpgsql volatile
set lock_timeout = '50ms'
as $$
begin
  if exists (select from holdfast.lanes as l where l.lane = any (beside) and not l.is_suspect and holdfast.suspect_lane(l.lane) is null) then
    insert into holdfast.lanes (queue, endpoint, "group", task, is_capped, is_suspect)
    select l.queue, l.endpoint, l."group", l.task, l.is_capped, true
    from holdfast.lanes as l
    where l.lane = any (beside)
      and not l.is_suspect
    order by l.queue, l.endpoint, l."group", l.task, l.is_capped
    on conflict do nothing;
  end if;
exception
  when lock_not_available then
    -- An open transaction is making them. A rescue never waits for a lock: what is lost now stays in its own lane.
    raise notice 'lanes of suspects are being made by an open transaction';
end
$$;
comment on function holdfast.name_suspect_lanes(integer[]) is 'Makes the lanes of suspects beside the given lanes, but those that an open transaction is making.';
