-- Moves the live jobs of a limited task to its own lanes. Locked jobs are skipped: the next call moves them.
create or replace function holdfast.move_to_own_lanes(of_task text)
returns integer
language plpgsql volatile
as $$
declare
  old   holdfast.lanes;
  own   integer;
  total integer := 0;
  moved integer;
begin
  for old in
    select l.* from holdfast.lanes as l
    where l.task <> of_task
      and l.lane in (select j.lane from holdfast.jobs as j where j.task = of_task)
    order by l.queue, l.endpoint, l."group", l.is_capped, l.is_suspect
  loop
    own := holdfast.find_lane(old.queue, old.endpoint, old."group", of_task, old.is_capped);
    if old.is_suspect then
      perform holdfast.name_suspect_lanes(array[own]);
      own := coalesce(holdfast.suspect_lane(own), own);
    end if;
    update holdfast.jobs as j
    set lane = own
    where j.id = any (array(
      select f.id from holdfast.jobs as f where f.lane = old.lane and f.task = of_task for update skip locked
    ));
    get diagnostics moved = row_count;
    total := total + moved;
  end loop;
  return total;
end
$$;
