-- Resizes a limit's ring of starts, keeping the newest.
create or replace function holdfast.resize_ring(l holdfast.limits)
returns void
language plpgsql volatile
as $$
declare
  newest double precision[];
begin
  newest := array(
    select s.at from holdfast.limit_starts as s
    where s.kind = l.kind and s.name = l.name
    order by s.at desc
    limit l.rate_starts
  );
  delete from holdfast.limit_starts as s where s.kind = l.kind and s.name = l.name;
  -- The next slot to write holds the oldest start, so the newest is just before it.
  insert into holdfast.limit_starts (kind, name, slot, at)
  select l.kind, l.name, (l.starts - n.i + l.rate_starts) % l.rate_starts, n.at
  from unnest(newest) with ordinality as n (at, i)
  where l.rate_starts is not null;
end
$$;
