-- Violations of: a unique key stands for one job; a key that lives as long as its job is gone with it.
create or replace function holdfast.broken_keys(max integer)
returns table (name text, job uuid, detail text)
language sql stable
as $$
  select 'duplicate_unique_key', (array_agg(n.id order by n.id desc))[1], format('%s jobs of the key %s in %s', count(*), n.unique_key, n.unique_scope)
  from holdfast.newest_jobs(max) as n
  join holdfast.unique_keys as k on k.scope = n.unique_scope and k.key = n.unique_key
  -- A key with a time may stand for the next job while the last one still lives.
  where k.expires_at is null
    and (n.is_live or not k.until_end)
  group by n.unique_scope, n.unique_key
  having count(distinct n.id) > 1
  union all
  select 'key_outlived_its_job', k.job_id, format('the key %s in %s', k.key, k.scope)
  from (select u.* from holdfast.unique_keys as u where u.until_end limit max) as k
  where not exists (select from holdfast.jobs as j where j.id = k.job_id)
$$;
comment on function holdfast.broken_keys(integer) is 'Unique keys with more than one job, and keys that outlived their job.';
