-- How long jobs of a queue may be deferred without a break: its max_wait, else 24 hours.
create or replace function holdfast.max_wait_of(queue text)
returns interval
language sql stable
as $$
  select coalesce((select q.max_wait from holdfast.queues as q where q.name = queue), interval '24 hours')
$$;
