-- Lays the ring of starts out for another number of requests per minute; the newest starts stay known.
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
  -- The slot to be written next is the oldest, so the newest stands just before it.
  insert into holdfast.endpoint_starts (endpoint, slot, at)
  select e.name, (e.starts - n.i + e.requests_per_minute) % e.requests_per_minute, n.at
  from unnest(newest) with ordinality as n (at, i)
  where e.requests_per_minute is not null;
end
$$;
comment on function holdfast.resize_starts(holdfast.endpoints) is 'Lays the ring of starts out for another number of requests per minute.';
