-- How many calls an endpoint's budgets allow now: starts and units in the last minute, money today.
create or replace function holdfast.budget_room(
  e holdfast.endpoints, now double precision, out room integer, out reason text, out until double precision
)
language plpgsql stable
as $$
declare
  today constant date := (to_timestamp(now) at time zone 'UTC')::date;
  used  double precision;
  more  constant double precision := coalesce(e.estimate, 0);
begin
  room := 2147483647;
  if e.requests_per_minute is not null then
    -- The ring is sorted by time: slots before the first one within the minute are free.
    select s.i, s.at + 60 into room, until
    from (
      select i, (select t.at from holdfast.endpoint_starts as t
        where t.endpoint = e.name and t.slot = (e.starts + i) % e.requests_per_minute) as at
      from generate_series(0, least(e.requests_per_minute, 100) - 1) as i
    ) as s
    where s.at > now - 60
    order by s.i
    limit 1;
    room := coalesce(room, least(e.requests_per_minute, 100));
    reason := case when room = 0 then 'requests' end;
  end if;
  if room > 0 and e.units_per_minute is not null then
    select coalesce(sum(s.units), 0) into used from holdfast.endpoint_seconds as s
    where s.endpoint = e.name and s.second > now - 61;
    used := used + e.reserved + case when e.second > now - 61 then e.second_units else 0 end;
    -- A call that is larger than the whole budget may run alone; otherwise it could never start.
    if used >= e.units_per_minute or used > 0 and used + more > e.units_per_minute then
      room := 0;
      reason := 'units';
      until := now + 1;
    end if;
  end if;
  if room > 0 and e.budget_per_day is not null then
    used := case when e.spent_day = today then e.spent else 0 end;
    used := used + e.reserved * e.price;
    if used >= e.budget_per_day or used + more * e.price > e.budget_per_day then
      room := 0;
      reason := 'budget';
      until := extract(epoch from (today + 1)::timestamp at time zone 'UTC');
    end if;
  end if;
end
$$;
