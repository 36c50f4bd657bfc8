-- endpoints -> (nothing): unused ones that were not declared, are not held open, and are named by no policy or lane.
create or replace function holdfast.remove_endpoints(max integer)
returns integer
language plpgsql volatile
as $$
declare
  at   constant timestamptz := holdfast.now();
  idle constant text[] := array(
    select e.name
    from holdfast.endpoints as e
    where e.expires_at < at
    order by e.expires_at
    limit max
    for update skip locked);
  gone text[];
begin
  if cardinality(idle) = 0 then
    return 0;
  end if;
  with named as materialized (
    select t.endpoint as name from holdfast.tasks as t where t.endpoint is not null
    union
    select q.endpoint from holdfast.queues as q where q.endpoint is not null
    union
    select e.fallback from holdfast.endpoints as e where e.fallback is not null
  ), removed as (
    delete from holdfast.endpoints as e
    where e.name = any (idle)
      and e.expires_at is not null
      and not e.held_open
      and e.in_flight = 0
      and not exists (select from named as n where n.name = e.name)
      and not exists (select from holdfast.lanes as l where l.endpoint = e.name and l.endpoint <> '')
    returning e.name
  ), noted as (
    insert into holdfast.events (at, cause, reason, detail)
    select at, 'remove_endpoint', 'It was never declared, and was unused for thirty days.',
      jsonb_build_object('endpoint', r.name)
    from removed as r
  )
  select coalesce(array_agg(r.name), '{}') into gone from removed as r;
  delete from holdfast.endpoint_starts as s where s.endpoint = any (gone);
  delete from holdfast.endpoint_seconds as s where s.endpoint = any (gone);
  update holdfast.endpoints as e set expires_at = at + interval '1 day' where e.name = any (idle);
  return cardinality(gone);
end
$$;
