-- Returns the flags that hold for workers of a group: {"slots": {"value": "20", "group": "gpu"}, "claim_size": …}.
-- group is null if the flag is set for all; flags that are not set are left out. A worker reads them before it
-- registers, and again with each renew_lease.
create or replace function holdfast.worker_flags(of_group text default null)
returns jsonb
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  select coalesce(jsonb_object_agg(f.name, jsonb_build_object('value', f.value, 'group', nullif(f.scope, ''))), '{}')
  from (
    select distinct on (w.name) w.name, w.scope, w.value
    from holdfast.flags as w
    where w.name in ('slots', 'claim_size')
      and w.scope in ('', of_group)
      and w.value is not null
    order by w.name, w.scope = ''
  ) as f
$$;
