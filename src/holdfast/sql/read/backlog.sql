-- How many jobs of some queues are scheduled, ready or running: nothing is left to do when it is zero.
create or replace function holdfast.backlog(queues text[])
returns bigint
language sql stable security definer
set search_path = holdfast, pg_temp
as $$
  select count(*)
  from holdfast.jobs as j
  where j.queue = any (queues)
    and j.state <> 'waiting'
$$;
comment on function holdfast.backlog(text[]) is 'How many jobs of these queues are scheduled, ready or running.';
