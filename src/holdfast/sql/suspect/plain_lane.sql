-- The lane of jobs that are not suspects, beside a lane of suspects; any other lane is returned as it is.
create or replace function holdfast.plain_lane(of_lane integer)
returns integer
language sql stable
as $$
  select coalesce(
    (
      select p.lane
      from holdfast.lanes as l
      join holdfast.lanes as p
        on p.queue = l.queue
        and p.endpoint = l.endpoint
        and p."group" = l."group"
        and p.task = l.task
        and p.is_capped = l.is_capped
        and not p.is_suspect
      where l.lane = of_lane
        and l.is_suspect
    ),
    of_lane
  )
$$;
