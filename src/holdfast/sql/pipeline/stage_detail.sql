-- A stage in the form of an advance: what the worker's own detail says wins.
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
comment on function holdfast.stage_detail(holdfast.stages) is 'A stage in the form of an advance.';
