-- Violations of: a unique key stands for one job; a key that lives as long as its job is gone with it.
create or replace function holdfast.broken_keys(max integer)
returns table (name text, job uuid, detail text)
language sql stable
as $$
  with keyed as materialized (
    select n.id, n.is_live, n.unique_scope as scope, n.unique_key as key, k.job_id, k.until_end, k.expires_at
    from holdfast.newest_jobs(max) as n
    -- One index look-up per job: most keys belong to jobs that ended long ago.
    cross join lateral (
      select u.job_id, u.until_end, u.expires_at
      from holdfast.unique_keys as u
      where u.scope = n.unique_scope and u.key = n.unique_key
      offset 0
    ) as k
    where n.unique_key is not null
  )
  select 'duplicate_unique_key', (array_agg(k.id order by k.id desc))[1],
    format('%s jobs of the key %s in %s', count(*), k.key, k.scope)
  from keyed as k
  -- A key with a time may stand for the next job while the last one still lives.
  where k.expires_at is null
    and (k.is_live or not k.until_end)
    -- A job that is older than the key's holder had a key of its own, which its end or its time freed.
    and k.id >= k.job_id
  group by k.scope, k.key
  having count(distinct k.id) > 1
  union all
  select 'key_outlived_its_job', k.id, format('the key %s in %s', k.key, k.scope)
  from keyed as k
  where k.until_end
    and k.job_id = k.id
    and not k.is_live
$$;
