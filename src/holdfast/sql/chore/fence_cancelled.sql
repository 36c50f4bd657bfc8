-- running -> cancelled: jobs that were asked to cancel and did not obey within their queue's grace.
create or replace function holdfast.fence_cancelled(max integer)
returns integer
language plpgsql volatile
as $$
declare
  ids uuid[];
begin
  ids := array(
    select j.id from holdfast.jobs as j
    where j.state = 'running'
      and j.cancel_asked_at < holdfast.now() - coalesce(
        (select q.cancel_grace from holdfast.queues as q where q.name = j.queue), interval '30 seconds')
    -- No order: it would tempt the planner to walk the whole primary key, and nothing waits for these locks.
    limit max
    for update skip locked
  );
  if cardinality(ids) = 0 then
    return 0;
  end if;
  return cardinality(holdfast.end_jobs(
    ids, null, 'cancelled', null, array_fill('did not obey the cancel in time and was fenced'::text, array[cardinality(ids)])
  ));
end
$$;
comment on function holdfast.fence_cancelled(integer) is 'Ends running jobs that did not obey a cancel in time; returns how many.';
