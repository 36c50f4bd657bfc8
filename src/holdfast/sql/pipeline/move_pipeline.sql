-- Moves live jobs of a pipeline from one version to another, at most max per call.
-- Jobs at a stage that the other version does not have stay. A running job keeps its attempt and continues by the new
-- version after it. Returns how many moved and how many stay: call again until moved is 0.
create or replace function holdfast.move_pipeline(
  name text, from_version integer, to_version integer, actor text default null, max integer default 1000,
  out moved integer, out stay integer
)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_variable
begin
  perform holdfast.check_count('max', max);
  if not exists (select from holdfast.pipelines as p where p.name = move_pipeline.name and p.version = from_version)
    or not exists (select from holdfast.pipelines as p where p.name = move_pipeline.name and p.version = to_version)
  then
    perform holdfast.refuse('HF004',
      format('The pipeline %s does not have both versions %s and %s.', name, from_version, to_version),
      'The command ''holdfast pipelines list'' shows all versions.');
  end if;
  with chosen as materialized (
    select j.id, j.state, j.priority, s.task, s.queue, s.lane,
      (select q.ageing from holdfast.queues as q where q.name = s.queue) as ageing
    from holdfast.jobs as j
    join holdfast.stages as s on s.pipeline = name and s.version = to_version and s.stage = j.stage
    where j.pipeline = name
      and j.pipeline_version = from_version
    limit max
    for update of j skip locked
  )
  update holdfast.jobs as j
  -- A running job finishes its stage; the new version decides what follows.
  set pipeline_version = to_version,
      task = case when c.state = 'running' then j.task else c.task end,
      queue = case when c.state = 'running' then j.queue else c.queue end,
      lane = case when c.state = 'running' then j.lane else holdfast.own_lane(c.lane, c.task, j.run_id) end,
      urgency = case when c.state = 'running' then j.urgency when c.ageing is null then c.priority else 0 end,
      rank_at = case
        when c.state = 'ready'
          then j.rank_at + coalesce(j.lead, '0') - coalesce(make_interval(secs => 60 * c.priority / c.ageing), '0')
        else j.rank_at
      end,
      lead = case when c.state = 'running' then j.lead else make_interval(secs => 60 * c.priority / c.ageing) end
  from chosen as c
  where j.id = c.id;
  get diagnostics moved = row_count;
  select count(*) into stay from holdfast.jobs as j where j.pipeline = name and j.pipeline_version = from_version;
  perform holdfast.record_event('move_pipeline', actor => actor,
    reason => format('pipeline %s from version %s to %s', name, from_version, to_version),
    detail => jsonb_build_object('moved', moved, 'stay', stay));
  perform holdfast.notify_ready(
    array(select distinct s.queue from holdfast.stages as s where s.pipeline = name and s.version = to_version));
end
$$;
