-- Returns the number of a lane; creates the lane and its queue on first use.
create or replace function holdfast.find_lane(queue text, endpoint text, "group" text, task text default '',
  is_capped boolean default false)
returns integer
language plpgsql volatile
as $$
#variable_conflict use_variable
declare
  found_lane integer;
  fallback   text;
begin
  loop
    select l.lane into found_lane
    from holdfast.lanes as l
    where l.queue = find_lane.queue
      and l.endpoint = coalesce(find_lane.endpoint, '')
      and l."group" = coalesce(find_lane."group", '')
      and l.task = find_lane.task
      and l.is_capped = find_lane.is_capped
      and not l.is_suspect;
    if found then
      return found_lane;
    end if;
    if endpoint <> '' then
      -- An existing endpoint is not locked: this may be a producer's long transaction.
      perform holdfast.name_endpoint(endpoint);
      select e.fallback into fallback from holdfast.endpoints as e where e.name = find_lane.endpoint;
    end if;
    perform holdfast.name_queue(queue);
    -- The fallback's lane, too: a claim creates no lanes, because it would wait for a concurrent insert.
    insert into holdfast.lanes (queue, endpoint, "group", task, is_capped, expires_at)
    select queue, e, coalesce("group", ''), task, is_capped, holdfast.expiry_if_unused()
    from unnest(array[coalesce(endpoint, ''), fallback]) as e
    where e is not null
    order by e
    on conflict do nothing;
  end loop;
end
$$;
