-- Records new jobs in queues whose audit trail is full.
create or replace function holdfast.record_enqueued(ids uuid[], made boolean[], at timestamptz)
returns void
language sql volatile
as $$
  insert into holdfast.events (at, cause, job_id, run_id, queue, to_state, attempt)
  select at, 'enqueue', j.id, j.run_id, j.queue, j.state, 0
  from rows from (unnest(ids), unnest(made)) with ordinality as u (id, is_made, i)
  -- offset 0: one look into each primary key per job, whatever the statistics say.
  cross join lateral (select k.* from holdfast.jobs as k where k.id = u.id offset 0) as j
  cross join lateral (select k.detail from holdfast.queues as k where k.name = j.queue offset 0) as q
  where u.is_made is not false
    and q.detail = 'full'
  order by u.i
$$;
