-- The job that a message id names for an access key: by unique key, or by the job's own id. Raises HF004 if none is.
-- Of several jobs the one that this caller holds comes first, then one that is ready, another live one, the newest end.
-- is_held: whether the newest claim is the caller's, the worker's name being compared only where it is given.
create or replace function holdfast.find_message(
  access_key uuid, worker_name text, message text,
  out job_id uuid, out state text, out queue text, out token uuid, out worker uuid, out is_held boolean
)
language plpgsql stable
as $$
#variable_conflict use_column
declare
  own_id constant uuid := case
    when message ~* $re$\A[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z$re$ then message::uuid end;
  held   bigint;
begin
  select
    f.id, f.state, f.queue, f.token, f.worker_id, f.is_held,
    count(*) filter (where f.is_held and f.state = 'running') over ()
  into job_id, state, queue, token, worker, is_held, held
  from (
    select
      n.*,
      coalesce(
        w.access_key = find_message.access_key
          and (worker_name is null or w.metadata ->> 'name' = worker_name), false) as is_held
    from holdfast.access_keys as k
    cross join lateral (
      -- The scope before the limit: jobs of others with the same unique key must not hide the caller's own.
      (select j.id, j.state, j.queue, j.task, j.token, j.worker_id
        from holdfast.jobs as j
        where j.unique_key = message
          and (k.queues is null or j.queue = any (k.queues))
          and (k.tasks is null or j.task = any (k.tasks))
        order by j.id desc limit 100)
      union
      (select j.id, j.state, j.queue, j.task, j.token, j.worker_id from holdfast.jobs as j where j.id = own_id)
      union
      (select h.id, h.state, h.queue, h.task, h.token, h.worker_id
        from holdfast.history as h
        where h.unique_key = message
          and (k.queues is null or h.queue = any (k.queues))
          and (k.tasks is null or h.task = any (k.tasks))
        order by h.id desc limit 100)
      union
      (select h.id, h.state, h.queue, h.task, h.token, h.worker_id
        from holdfast.history as h
        where h.id = own_id and h.ended_at >= coalesce(holdfast.created_at(own_id), '-infinity') - interval '1 minute')
    ) as n
    left join holdfast.workers as w on w.id = n.worker_id
    where k.id = find_message.access_key
      and n.queue <> 'holdfast'
      and (k.queues is null or n.queue = any (k.queues))
      and (k.tasks is null or n.task = any (k.tasks))
  ) as f
  order by
    f.is_held and f.state = 'running' desc, f.state = 'ready' desc,
    f.state in ('scheduled', 'waiting', 'running') desc, f.id desc
  limit 1;
  if job_id is null then
    perform holdfast.refuse('HF004', format('There is no message %s.', left(message, 200)),
      'Send the unique key or the id of a job.');
  elsif held > 1 then
    perform holdfast.refuse('HF005',
      format('The message id %s matches %s jobs of this worker.', left(message, 200), held),
      'Send the id of the job instead, or use an access key that is limited to one task.');
  end if;
end
$$;
