-- The number of a lane; names the lane and its queue on first use.
create or replace function holdfast.find_lane(queue text, endpoint text, "group" text)
returns integer
language plpgsql volatile
as $$
#variable_conflict use_variable
declare
  found_lane integer;
begin
  loop
    select l.lane into found_lane
    from holdfast.lanes as l
    where l.queue = find_lane.queue
      and l.endpoint = coalesce(find_lane.endpoint, '')
      and l."group" = coalesce(find_lane."group", '');
    if found then
      return found_lane;
    end if;
    if endpoint <> '' then
      -- One that is there is not locked: this may be a producer's long transaction.
      perform holdfast.name_endpoint(endpoint);
    end if;
    insert into holdfast.queues (name) values (queue) on conflict do nothing;
    insert into holdfast.lanes (queue, endpoint, "group")
    values (queue, coalesce(endpoint, ''), coalesce("group", ''))
    on conflict do nothing;
  end loop;
end
$$;
comment on function holdfast.find_lane(text, text, text) is 'The number of a lane; names the lane and its queue on first use.';
