-- Deletes the per-second records of endpoints that are older than six hours.
-- Returns how many, at most max; null while another call is pruning.
create or replace function holdfast.prune_endpoints(max integer default 10000)
returns integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
declare
  pruned integer;
begin
  perform holdfast.check_count('max', max);
  if not holdfast.try_lock('prune_endpoints') then
    return null;
  end if;
  with recursive active as (
    -- Only those that have seconds, found by leaps through the index.
    (select s.endpoint as name from holdfast.endpoint_seconds as s order by s.endpoint limit 1)
    union all
    select (select s.endpoint from holdfast.endpoint_seconds as s where s.endpoint > a.name order by s.endpoint limit 1)
    from active as a
    where a.name is not null
  )
  delete from holdfast.endpoint_seconds as s
  where (s.endpoint, s.second) in (
    select o.endpoint, o.second
    from active as e
    cross join lateral (
      select t.endpoint, t.second from holdfast.endpoint_seconds as t
      where t.endpoint = e.name and t.second < extract(epoch from holdfast.now() - interval '6 hours')
      order by t.second limit max
    ) as o
    limit max
  );
  get diagnostics pruned = row_count;
  return pruned;
end
$$;
