-- Those of the jobs, live or ended, that are in an access key's scope now.
create or replace function holdfast.jobs_in_scope(key holdfast.access_keys, ids uuid[])
returns uuid[]
language sql stable
as $$
  select array(
    select u.id
    from unnest(ids) with ordinality as u (id, i)
    left join holdfast.jobs as j on j.id = u.id
    -- offset 0: one look by id, which leaves out the weeks before the job was created.
    left join lateral (
      select e.queue, e.task
      from holdfast.history as e
      where e.id = u.id
        and e.ended_at >= coalesce(holdfast.created_at(u.id), '-infinity') - interval '1 minute'
      offset 0
    ) as h on j.id is null
    where coalesce(coalesce(j.queue, h.queue) = any (key.queues), key.queues is null)
      and coalesce(coalesce(j.task, h.task) = any (key.tasks), key.tasks is null)
    order by u.i)
$$;
