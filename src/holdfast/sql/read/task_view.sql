-- Every task that an app declared or a live worker can run.
create or replace view holdfast.task_view as
select t.name, t.queue, t.priority, t.max_failures, t.retry, t.timeout, l.max_concurrent, l.rate, t.declared_at
from holdfast.tasks as t
left join holdfast.limits as l on l.kind = 'task' and l.name = t.name
union all
select distinct w.task, null, null::smallint, null::smallint, null::jsonb, null::interval, null::integer, null::text,
  null::timestamptz
from (
  select unnest(w.tasks) as task
  from holdfast.workers as w
  where w.state <> 'stopped' and w.lease_until >= holdfast.now()) as w
where not exists (select from holdfast.tasks as t where t.name = w.task);
