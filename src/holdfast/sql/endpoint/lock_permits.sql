-- Locks jobs, then the endpoints whose permits they hold, by name: a transaction waits for endpoints once, and for jobs only before.
create or replace function holdfast.lock_permits(ids uuid[])
returns void
language plpgsql volatile
as $$
declare
  held     integer[];
  endpoint text;
begin
  if not exists (select from holdfast.endpoints) then
    return;
  end if;
  -- Those without a permit too: later they would be waited for with an endpoint in hand.
  held := array(
    select case when j.in_flight_at_start is not null then coalesce(j.permit_lane, j.lane) end
    from holdfast.jobs as j
    where j.id = any (ids)
    order by j.id
    for update
  );
  for endpoint in
    select distinct l.endpoint from holdfast.lanes as l where l.lane = any (held) order by l.endpoint
  loop
    perform holdfast.lock_endpoint(endpoint);
  end loop;
end
$$;
comment on function holdfast.lock_permits(uuid[]) is 'Locks jobs, then by name the endpoints whose permits they hold.';
