-- Every task that an application declared or a live worker knows.
create or replace view holdfast.task_view as
select t.name, t.queue, t.priority, t.max_failures, t.retry, t.timeout, t.declared_at
from holdfast.tasks as t
union all
select distinct w.task, null, null::smallint, null::smallint, null::jsonb, null::interval, null::timestamptz
from (select unnest(w.tasks) as task from holdfast.workers as w where w.state <> 'stopped' and w.lease_until >= holdfast.now()) as w
where not exists (select from holdfast.tasks as t where t.name = w.task);
comment on view holdfast.task_view is 'Every task that an application declared or a live worker knows, with its defaults.';
