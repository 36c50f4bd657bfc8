-- Every stage of every version of every pipeline, in order, with the policy of its queue.
create or replace view holdfast.stage_view as
select
  s.pipeline, s.version, s.version = max(s.version) over (partition by s.pipeline) as is_newest, p.declared_at,
  s.place, s.stage, s.task, s.queue, nullif(l.endpoint, '') as endpoint, nullif(l."group", '') as "group",
  coalesce(s.timeout, q.timeout) as timeout, s.max_visits, s.on_reject, q.retry,
  (select m.max_concurrent from holdfast.limits as m where m.kind = 'queue' and m.name = s.queue) as max_concurrent
from holdfast.stages as s
join holdfast.pipelines as p on p.name = s.pipeline and p.version = s.version
left join holdfast.lanes as l on l.lane = s.lane
left join holdfast.queues as q on q.name = s.queue;
