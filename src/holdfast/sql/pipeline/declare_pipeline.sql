-- (nothing) -> declared: stores a pipeline, that is the stages that its jobs pass in order, and returns its version.
-- definition is {"stages": [...]}, each with name and task, and if wanted queue, endpoint, group, timeout, max_visits
-- (10) and on_reject (end, retry or dead). A definition that equals the newest version changes nothing; another one
-- becomes the next version, with an event. Jobs on their way stay on theirs until move_pipeline moves them.
create or replace function holdfast.declare_pipeline(name text, definition jsonb)
returns integer
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_variable
declare
  newest holdfast.pipelines;
begin
  perform holdfast.check_object('definition', definition);
  perform holdfast.check_pipeline(name, definition);
  loop
    select p.* into newest
    from holdfast.pipelines as p
    where p.name = declare_pipeline.name
    order by p.version desc
    limit 1;
    if newest.definition = definition then
      -- The endpoint of a task or queue may have changed since.
      update holdfast.stages as s
      set lane = holdfast.stage_lane(name, d.stage)
      from jsonb_array_elements(definition -> 'stages') as d (stage)
      where s.pipeline = name
        and s.version = newest.version
        and s.stage = d.stage ->> 'name'
        and s.lane <> holdfast.stage_lane(name, d.stage);
      return newest.version;
    end if;
    insert into holdfast.pipelines (name, version, definition, declared_at)
    values (name, coalesce(newest.version, 0) + 1, definition, holdfast.now())
    on conflict do nothing;
    -- Two workers that start at once declare the same version: the second finds the row of the first.
    exit when found;
  end loop;
  insert into holdfast.stages (pipeline, version, stage, place, next, task, queue, lane, timeout, max_visits, on_reject)
  select
    name, coalesce(newest.version, 0) + 1, s ->> 'name', i, lead(s ->> 'name') over (order by i), s ->> 'task',
    holdfast.stage_queue(name, s), holdfast.stage_lane(name, s), holdfast.read_interval(s -> 'timeout'),
    coalesce((s ->> 'max_visits')::integer, 10), coalesce(s ->> 'on_reject', 'end')
  from jsonb_array_elements(definition -> 'stages') with ordinality as u (s, i);
  perform holdfast.record_change('declare_pipeline', 'pipeline', name,
    jsonb_build_object('version', newest.version, 'definition', newest.definition),
    jsonb_build_object('version', coalesce(newest.version, 0) + 1, 'definition', definition), null, null);
  return coalesce(newest.version, 0) + 1;
exception
  when check_violation or invalid_text_representation or numeric_value_out_of_range then
    raise exception using
      errcode = 'HF002',
      message = format('A setting of a stage of the pipeline %s is out of range: %s.', name,
        holdfast.setting_problem(sqlerrm)),
      hint = 'timeout must be more than 0, max_visits between 1 and 1000, and on_reject one of end, retry and dead.';
end
$$;
