-- Raises an error if one of the jobs is outside of an access key's scope.
-- Who stores a job may know that it is refused; to a reader such a job does not exist.
create or replace function holdfast.check_job_access(key holdfast.access_keys, action text, jobs uuid[])
returns void
language plpgsql stable
as $$
declare
  outside record;
begin
  select u.id, coalesce(j.queue, h.queue) as queue, coalesce(j.task, h.task) as task into outside
  from unnest(jobs) as u (id)
  left join holdfast.jobs as j on j.id = u.id
  -- offset 0: one look by id, which leaves out the weeks before the job was created.
  left join lateral (
    select e.queue, e.task
    from holdfast.history as e
    where e.id = u.id
      and e.ended_at >= coalesce(holdfast.created_at(u.id), '-infinity') - interval '1 minute'
    offset 0
  ) as h on j.id is null
  where not coalesce(
    coalesce(coalesce(j.queue, h.queue) = any (key.queues), key.queues is null)
      and coalesce(coalesce(j.task, h.task) = any (key.tasks), key.tasks is null),
    false)
  limit 1;
  if not found then
    return;
  end if;
  if action = 'enqueue' then
    perform holdfast.refuse('HF008',
      format('The access key %s is not for the task %s in the queue %s.', key.name, outside.task, outside.queue),
      'Use a key with another scope; ''holdfast keys list'' shows them.');
  end if;
  perform holdfast.refuse('HF004', format('There is no job %s.', outside.id),
    'Check the id; ended jobs are deleted after some time, the retention of their queue.');
end
$$;
