-- Completes the options of a job that enters a pipeline, with the settings of its first stage or the one it names.
create or replace function holdfast.enter_option(options jsonb)
returns jsonb
language plpgsql stable
as $$
declare
  asked  constant text := options ->> 'pipeline';
  newest constant integer := holdfast.newest_version(options ->> 'pipeline');
  entry  record;
begin
  if asked is null then
    return options;
  elsif newest is null then
    perform holdfast.refuse('HF004', format('There is no pipeline %s.', asked),
      'Start a worker of the app that defines the pipeline; a worker declares all pipelines of its app.');
  end if;
  select s.stage, s.task, s.queue, l.endpoint, l."group", s.timeout into entry
  from holdfast.stages as s
  cross join lateral holdfast.lane_of(s.lane) as l
  where s.pipeline = asked
    and s.version = newest
    and (options ->> 'stage' is null or s.stage = options ->> 'stage')
  order by s.place
  limit 1;
  if not found then
    perform holdfast.refuse('HF002', format('The pipeline %s has no stage %s.', asked, options ->> 'stage'),
      'The view holdfast.stage_view lists the stages of all pipelines.');
  end if;
  return options || jsonb_strip_nulls(jsonb_build_object(
    'stage', entry.stage, 'queue', entry.queue, 'endpoint', entry.endpoint, 'group', entry."group",
    'timeout', coalesce(options -> 'timeout', to_jsonb(extract(epoch from entry.timeout)))
  )) || jsonb_build_object('task', entry.task);
end
$$;
