-- Raises an error if a pipeline's definition is invalid, naming what is wrong.
create or replace function holdfast.check_pipeline(name text, definition jsonb)
returns void
language plpgsql immutable
as $$
declare
  wrong text;
begin
  if name is null or length(name) not between 1 and 200 then
    perform holdfast.refuse('HF002', 'The name of a pipeline must have 1 to 200 characters.',
      'Choose a name that says what the pipeline processes.');
  end if;
  if coalesce(jsonb_typeof(definition -> 'stages'), '') <> 'array'
    or jsonb_array_length(definition -> 'stages') not between 1 and 200
    or definition - 'stages' <> '{}'
    or exists (select from jsonb_array_elements(definition -> 'stages') as s where jsonb_typeof(s) <> 'object')
  then
    perform holdfast.refuse('HF002',
      format('The definition of the pipeline %s must be an object with a list of 1 to 200 stages.', name),
      'Pass {"stages": [{"name": "…", "task": "…"}, …]}.');
  end if;
  select format('stage %s has no setting %s', s ->> 'name', k) into wrong
  from jsonb_array_elements(definition -> 'stages') as s, jsonb_object_keys(s) as k
  where k <> all (array['name', 'task', 'queue', 'endpoint', 'group', 'timeout', 'max_visits', 'on_reject'])
  limit 1;
  perform holdfast.refuse_reserved(variadic array(
    select unnest(array[name, s ->> 'task', s ->> 'queue']) from jsonb_array_elements(definition -> 'stages') as s));
  if wrong is null then
    select format('name and task of stage %s must have 1 to 200 characters', i) into wrong
    from jsonb_array_elements(definition -> 'stages') with ordinality as u (s, i)
    where coalesce(length(s ->> 'name'), 0) not between 1 and 200
      or coalesce(length(s ->> 'task'), 0) not between 1 and 200
    limit 1;
  end if;
  if wrong is null then
    select format('two stages have the name %s', s ->> 'name') into wrong
    from jsonb_array_elements(definition -> 'stages') as s
    group by s ->> 'name' having count(*) > 1
    limit 1;
  end if;
  if wrong is null then
    select format('max_visits of stage %s must be between 1 and 1000', s ->> 'name') into wrong
    from jsonb_array_elements(definition -> 'stages') as s
    where s ? 'max_visits'
      and not coalesce(jsonb_path_match(s, 'strict $.max_visits >= 1 && $.max_visits <= 1000', silent => true), false)
    limit 1;
  end if;
  if wrong is not null then
    perform holdfast.refuse('HF002', format('The pipeline %s is refused: %s.', name, wrong),
      'The settings of a stage are name, task, queue, endpoint, group, timeout, max_visits (1 to 1000) and on_reject'
        ' (end, retry or dead).');
  end if;
end
$$;
