-- Lays a limit's ring of starts out for another number of starts; the newest stay known.
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
  -- The slot to be written next is the oldest, so the newest stands just before it.
  insert into holdfast.limit_starts (kind, name, slot, at)
  select l.kind, l.name, (l.starts - n.i + l.rate_starts) % l.rate_starts, n.at
  from unnest(newest) with ordinality as n (at, i)
  where l.rate_starts is not null;
end
$$;
comment on function holdfast.resize_ring(holdfast.limits) is 'Lays a limit''s ring of starts out for another number of starts.';
