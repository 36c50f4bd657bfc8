-- Raises an error if one of the jobs is outside of an access key's scope.
-- Who stores a job may know that it is refused; to a reader such a job does not exist. The scope bounds what a caller
-- asks for: an operator's rule may route its job on to a queue outside, from the queue of the task.
create or replace function holdfast.check_job_access(key holdfast.access_keys, action text, jobs uuid[])
returns void
language plpgsql stable
as $$
declare
  outside record;
begin
  select p.id, p.queue, p.task into outside
  from holdfast.place_of_jobs(jobs) as p
  where not (
    coalesce(p.queue = any (key.queues), key.queues is null)
      and coalesce(p.task = any (key.tasks), key.tasks is null))
    -- Only a job whose caller named no queue has a route.
    and not coalesce(
      action = 'enqueue' and p.route = p.queue
        and coalesce(p.task = any (key.tasks), key.tasks is null)
        and coalesce((select t.queue from holdfast.tasks as t where t.name = p.task), 'default') = any (key.queues),
      false)
  limit 1;
  if not found then
    return;
  end if;
  if action = 'enqueue' then
    perform holdfast.refuse('HF008',
      format('The access key %s does not allow the task %s in the queue %s.', key.name, outside.task, outside.queue),
      'Use a key with another scope; ''holdfast keys list'' shows all keys.');
  end if;
  perform holdfast.refuse('HF004', format('There is no job %s.', outside.id),
    'Check the id; ended jobs are deleted after the retention time of their queue.');
end
$$;
