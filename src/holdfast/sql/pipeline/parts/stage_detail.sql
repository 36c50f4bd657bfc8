-- A stage as the detail of an advance; the worker's own detail overrides it.
create or replace function holdfast.stage_detail(stage holdfast.stages)
returns jsonb
language sql stable
as $$
  select jsonb_build_object(
    'stage', stage.stage, 'task', stage.task, 'queue', stage.queue, 'endpoint', l.endpoint, 'group', l."group",
    'timeout', extract(epoch from coalesce(
      stage.timeout,
      (select t.timeout from holdfast.tasks as t where t.name = stage.task),
      (select q.timeout from holdfast.queues as q where q.name = stage.queue)
    ))
  )
  from holdfast.lane_of(stage.lane) as l
$$;
