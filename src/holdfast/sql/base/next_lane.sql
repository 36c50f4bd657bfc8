-- The first lane after the given one that has ready jobs or a mark; null if there is none.
-- The search stops before a marked lane, so that dead index entries are not walked.
create or replace function holdfast.next_lane(after integer)
returns integer
language plpgsql stable
as $$
declare
  marked constant integer := (select m.lane from holdfast.lane_marks as m where m.lane > after order by m.lane limit 1);
begin
  return coalesce(
    (select j.lane from holdfast.jobs as j
     where j.state = 'ready' and j.lane > after and j.lane < coalesce(marked, 2147483647)
     order by j.lane limit 1),
    marked
  );
end
$$;
