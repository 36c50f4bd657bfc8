-- Resizes the ring of starts after requests_per_minute changed, keeping the newest.
create or replace function holdfast.resize_starts(e holdfast.endpoints)
returns void
language plpgsql volatile
as $$
declare
  newest double precision[];
begin
  newest := array(
    select s.at from holdfast.endpoint_starts as s
    where s.endpoint = e.name
    order by s.at desc
    limit e.requests_per_minute
  );
  delete from holdfast.endpoint_starts as s where s.endpoint = e.name;
  -- The next slot to write holds the oldest start, so the newest is just before it.
  insert into holdfast.endpoint_starts (endpoint, slot, at)
  select e.name, (e.starts - n.i + e.requests_per_minute) % e.requests_per_minute, n.at
  from unnest(newest) with ordinality as n (at, i)
  where e.requests_per_minute is not null;
end
$$;
