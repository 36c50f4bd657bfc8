-- Those of the jobs, live or ended, that are in an access key's scope now.
create or replace function holdfast.jobs_in_scope(key holdfast.access_keys, ids uuid[])
returns uuid[]
language sql stable
as $$
  select array(
    select p.id
    from holdfast.place_of_jobs(ids) as p
    where coalesce(p.queue = any (key.queues), key.queues is null)
      and coalesce(p.task = any (key.tasks), key.tasks is null)
    order by p.place)
$$;
