-- How long until the next scheduled job is due; null if none is scheduled.
create or replace function holdfast.next_due()
returns interval
language sql stable
as $$
  select greatest(j.due_at - holdfast.now(), '0')
  from holdfast.jobs as j
  where j.state = 'scheduled'
  order by j.due_at
  limit 1
$$;
