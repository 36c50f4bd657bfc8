-- A hint to idle workers that a queue has ready jobs. PostgreSQL sends equal hints of one transaction once.
create or replace function holdfast.notify_ready(queues text[])
returns void
language sql volatile security definer
set search_path = holdfast, pg_temp
as $$
  select pg_notify('holdfast_ready', left(q, 200)) from unnest(queues) as q
$$;
comment on function holdfast.notify_ready(text[]) is 'Wakes idle workers of these queues. A hint only: they poll in any case.';
