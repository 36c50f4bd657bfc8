-- The lane for the fallback endpoint beside a lane; null if there is none.
create or replace function holdfast.fallback_lane(of_lane integer, fallback text)
returns integer
language sql stable
as $$
  select f.lane
  from holdfast.lanes as l
  join holdfast.lanes as f
    on f.queue = l.queue
    and f.endpoint = fallback
    and f."group" = l."group"
    and f.task = l.task
    and f.is_capped = l.is_capped
    and not f.is_suspect
  where l.lane = of_lane
$$;
