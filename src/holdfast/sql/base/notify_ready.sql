-- Wakes idle workers of these queues when the caller's transaction commits.
-- It sends NOTIFY on the channel holdfast_ready, with the queue's name. PostgreSQL sends equal notifications of one
-- transaction once. It is only a hint: workers poll as well. enqueue_jobs calls it, unless its option notify is false.
create or replace function holdfast.notify_ready(queues text[])
returns void
language sql volatile security definer
set search_path = holdfast, pg_temp
as $$
  select pg_notify('holdfast_ready', left(q, 200)) from unnest(queues) as q
$$;
