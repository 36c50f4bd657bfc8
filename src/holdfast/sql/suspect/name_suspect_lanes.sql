-- Creates missing lanes of suspects beside the given lanes, in one order, so that two callers cannot deadlock.
create or replace function holdfast.name_suspect_lanes(beside integer[])
returns void
language plpgsql volatile
set lock_timeout = '50ms'
as $$
begin
  if exists (
    select from holdfast.lanes as l
    where l.lane = any (beside) and not l.is_suspect and holdfast.suspect_lane(l.lane) is null) then
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
    -- An open transaction is creating them. A rescue does not wait for it: the lost jobs stay in their own lanes.
    raise notice 'lanes of suspects are being made by an open transaction';
end
$$;
