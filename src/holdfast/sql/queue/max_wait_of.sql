-- How long jobs of a queue may be deferred without a break.
create or replace function holdfast.max_wait_of(queue text)
returns interval
language sql stable
as $$
  select coalesce((select q.max_wait from holdfast.queues as q where q.name = queue), interval '24 hours')
$$;
comment on function holdfast.max_wait_of(text) is 'How long jobs of a queue may be deferred without a break.';
