-- The lane beside a lane whose endpoint is the fallback of its own; null if there is none.
create or replace function holdfast.fallback_lane(of_lane integer, fallback text)
returns integer
language sql stable
as $$
  select f.lane
  from holdfast.lanes as l
  join holdfast.lanes as f
    on f.queue = l.queue and f.endpoint = fallback and f."group" = l."group" and f.task = l.task and f.is_capped = l.is_capped and not f.is_suspect
  where l.lane = of_lane
$$;
comment on function holdfast.fallback_lane(integer, text) is 'The lane beside a lane whose endpoint is the fallback of its own.';
