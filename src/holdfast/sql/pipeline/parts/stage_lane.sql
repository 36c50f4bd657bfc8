-- The lane of a stage: its queue, and the endpoint that it, its task or its queue names.
create or replace function holdfast.stage_lane(pipeline text, stage jsonb)
returns integer
language sql volatile
as $$
  select holdfast.find_lane(
    holdfast.stage_queue(pipeline, stage),
    coalesce(
      stage ->> 'endpoint',
      (select t.endpoint from holdfast.tasks as t where t.name = stage ->> 'task'),
      (select q.endpoint from holdfast.queues as q where q.name = holdfast.stage_queue(pipeline, stage))
    ),
    stage ->> 'group'
  )
$$;
