-- Records that maintenance tasks have succeeded, for maintenance_view and doctor; at most once in ten seconds for each.
create or replace function holdfast.record_maintenance(names text[])
returns void
language sql volatile security definer
set search_path = holdfast, pg_temp
-- Another open transaction may be inserting the same row; a gauge is not worth a long wait.
set lock_timeout = '1s'
as $$
  select holdfast.record_maintenance_task(n.name)
  from (select distinct left(u, 200) as name from unnest(names) as u order by 1) as n
  where not exists (
    select from holdfast.chores as d
    where d.name = n.name
      and d.succeeded_at > holdfast.now() - interval '10 seconds'
  )
$$;
