-- The lanes of some queues that have ready jobs or a mark.
-- A leapfrog join of two sorted lists, lanes of a queue and lanes with ready jobs: the shorter one sets the cost.
create or replace function holdfast.ready_lanes(of_queues text[])
returns setof integer
language plpgsql stable
as $$
declare
  q     text;
  own   integer;
  found integer;
begin
  foreach q in array array(select distinct u from unnest(of_queues) as u) loop
    found := 0;
    loop
      own := (select l.lane from holdfast.lanes as l where l.queue = q and l.lane > found order by l.lane limit 1);
      exit when own is null;
      found := holdfast.next_lane(own - 1);
      exit when found is null;
      if found = own then
        return next own;
      else
        found := found - 1;
      end if;
    end loop;
  end loop;
end
$$;
