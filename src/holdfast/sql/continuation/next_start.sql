-- When the next scheduled job of some queues, or of one run, is due; null if none is.
-- plan: no seqscan
create or replace function holdfast.next_start(queues text[], run uuid)
returns timestamptz
language sql stable
as $$
  select min(found.due_at)
  from (
    select j.due_at
    from holdfast.jobs as j
    where j.state = 'scheduled'
      and case when run is null then j.queue = any (queues) else j.run_id = run end
    order by j.due_at
    limit 1
  ) as found
$$;
