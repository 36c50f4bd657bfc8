-- How many calls an endpoint may start now, and if none, why and until when. Shared by claim and explain.
create or replace function holdfast.admission(
  e holdfast.endpoints, now double precision, out room integer, out reason text, out until double precision
)
language plpgsql stable
as $$
declare
  free record;
begin
  room := 0;
  if e.held_open then
    reason := 'held_open';
  elsif now < e.blocked_until then
    reason := 'blocked';
    until := e.blocked_until;
  elsif e.circuit = 'open' and now < e.open_until then
    reason := 'circuit_open';
    until := e.open_until;
  elsif e.circuit = 'half_open' and e.probes >= 3 then
    reason := 'probing';
  elsif e.circuit = 'half_open' and e.probes > 0 and now < e.last_probe + 20 then
    reason := 'probing';
    until := e.last_probe + 20;
  elsif e.circuit <> 'closed' then
    room := 1;
  elsif floor(e.limit) <= e.in_flight then
    reason := 'limit';
  elsif e.rate_clock - now > 2 and e.rate is not null then
    reason := 'rate';
    until := e.rate_clock - 2;
  else
    room := floor(e.limit) - e.in_flight;
  end if;
  if room > 0 then
    select * into free from holdfast.budget_room(e, now);
    room := least(room, free.room);
    reason := free.reason;
    until := free.until;
  end if;
end
$$;
