-- The queue and the task of each job, live or ended; null for a job that does not exist any more. route: the queue that
-- a rule chose when it was enqueued.
create or replace function holdfast.place_of_jobs(ids uuid[])
returns table (id uuid, place bigint, queue text, task text, route text)
language sql stable
as $$
  select u.id, u.place, coalesce(j.queue, h.queue), coalesce(j.task, h.task), coalesce(j.rules, h.rules) ->> 'queue'
  from unnest(ids) with ordinality as u (id, place)
  -- offset 0: one look by id; that into history leaves out the weeks before the job was created.
  left join lateral (
    select l.id, l.queue, l.task, l.rules from holdfast.jobs as l where l.id = u.id offset 0
  ) as j on true
  left join lateral (
    select e.queue, e.task, e.rules
    from holdfast.history as e
    where e.id = u.id
      and e.ended_at >= coalesce(holdfast.created_at(u.id), '-infinity') - interval '1 minute'
    offset 0
  ) as h on j.id is null
$$;
