-- Raises an error if one of the runs has a job outside of an access key's scope: what acts on a run acts on all jobs.
-- An operator may have moved one of them, or a key for all queues and tasks may have added it.
create or replace function holdfast.check_run_jobs(key holdfast.access_keys, runs uuid[])
returns void
language plpgsql stable
as $$
declare
  mixed uuid;
begin
  select r.id into mixed
  from holdfast.runs as r
  cross join lateral (
    select j.queue, j.task from holdfast.jobs as j where j.run_id = r.id
    union all
    select h.queue, h.task
    from holdfast.history as h
    where h.run_id = r.id
      and h.ended_at >= r.created_at - interval '1 minute'
  ) as n
  where r.id = any (runs)
    and not (coalesce(n.queue = any (key.queues), true) and coalesce(n.task = any (key.tasks), true))
  limit 1;
  if found then
    perform holdfast.refuse('HF008',
      format('The run %s has jobs that the access key %s does not allow.', mixed, key.name),
      'Name the jobs by their ids instead, or use a key for all queues and tasks.');
  end if;
end
$$;
