-- Locks the limits of a queue and task and returns how many jobs may start now; if none, until when.
-- A refused claim locks nothing, and a limit that is locked already is skipped.
create or replace function holdfast.hold_limits(of_queue text, of_task text, wanted integer, at timestamptz,
  out room integer, out until timestamptz)
language plpgsql volatile
as $$
declare
  l     holdfast.limits;
  free  record;
  asked integer := 0;
  held  integer := 0;
begin
  room := wanted;
  for l in
    select t.*
    from unnest(array['queue', 'task'], array[of_queue, of_task]) as w (kind, name)
    join holdfast.limits as t on t.kind = w.kind and t.name = w.name
  loop
    select * into free from holdfast.limit_room(l, wanted, at);
    asked := asked + 1;
    room := least(room, free.room);
    -- The end of another job cannot be predicted: poll.
    if free.room <= 0 then
      until := greatest(until, coalesce(free.until, at + interval '500 milliseconds'));
    end if;
  end loop;
  if room <= 0 or asked = 0 then
    return;
  end if;
  room := wanted;
  for l in
    select t.*
    from unnest(array['queue', 'task'], array[of_queue, of_task]) as w (kind, name)
    join holdfast.limits as t on t.kind = w.kind and t.name = w.name
    for update of t skip locked
  loop
    select * into free from holdfast.limit_room(l, room, holdfast.now());
    held := held + 1;
    room := least(room, free.room);
  end loop;
  if held < asked then
    room := 0;
  end if;
  until := at + case when held < asked then interval '20 milliseconds' else interval '500 milliseconds' end;
end
$$;
