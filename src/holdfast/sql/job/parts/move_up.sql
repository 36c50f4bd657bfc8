-- waiting -> ready | scheduled: the next job of each order key whose first has ended. Locked keys, and those whose next
-- job is locked, are left for later.
create or replace function holdfast.move_up(keys text[], at timestamptz)
returns integer
language plpgsql volatile
as $$
declare
  line  holdfast.order_keys;
  next  record;
  moved integer := 0;
  k     text;
begin
  foreach k in array array(select distinct u from unnest(keys) as u order by u) loop
    select * into line from holdfast.order_keys as o where o.key = k for update skip locked;
    if not found then
      -- A producer's open transaction holds the key; waiting for it would stall the worker and all its other ends.
      insert into holdfast.order_releases (key)
      select k where exists (select from holdfast.order_keys as o where o.key = k);
      continue;
    end if;
    continue when exists (select from holdfast.jobs as j where j.id = line.head);
    select * into next from holdfast.next_of_order_key(k, at);
    if next.is_busy then
      insert into holdfast.order_releases (key) values (k);
    elsif next.moved is null then
      delete from holdfast.order_keys as o where o.key = k;
    else
      update holdfast.order_keys as o set head = next.moved where o.key = k;
      moved := moved + 1;
    end if;
  end loop;
  return moved;
end
$$;
