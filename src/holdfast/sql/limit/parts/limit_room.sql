-- How many jobs may start now under a limit, and if none, why and until when. Shared by claim and explain.
create or replace function holdfast.limit_room(
  l holdfast.limits, wanted integer, at timestamptz, out room integer, out reason text, out until timestamptz
)
language plpgsql stable
as $$
declare
  now  constant double precision := extract(epoch from at);
  most integer;
begin
  room := wanted;
  if l.max_concurrent is not null then
    room := least(room, l.max_concurrent - holdfast.count_limited(l));
    if room <= 0 then
      room := 0;
      reason := l.kind || '_limit';
      return;
    end if;
  end if;
  if l.rate_starts is not null then
    -- The ring is sorted by time: slots before the first one within the period are free.
    most := least(l.rate_starts, room);
    select s.i, to_timestamp(s.at + l.rate_period) into room, until
    from (
      select i, (select t.at from holdfast.limit_starts as t
        where t.kind = l.kind and t.name = l.name and t.slot = (l.starts + i) % l.rate_starts) as at
      from generate_series(0, most - 1) as i
    ) as s
    where s.at > now - l.rate_period
    order by s.i
    limit 1;
    room := coalesce(room, most);
    reason := case when room = 0 then l.kind || '_rate' end;
  end if;
end
$$;
