-- Makes the lanes of suspects beside the given ones. In one order, so that two callers cannot wait for each other.
create or replace function holdfast.name_suspect_lanes(beside integer[])
returns void
language sql volatile
as $$
  insert into holdfast.lanes (queue, endpoint, "group", task, is_capped, is_suspect)
  select l.queue, l.endpoint, l."group", l.task, l.is_capped, true
  from holdfast.lanes as l
  where l.lane = any (beside)
    and not l.is_suspect
  order by l.queue, l.endpoint, l."group", l.task, l.is_capped
  on conflict do nothing
$$;
comment on function holdfast.name_suspect_lanes(integer[]) is 'Makes the lanes of suspects beside the given lanes, where they are missing.';
