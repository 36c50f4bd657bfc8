-- Returns what the rules would do with a job, without storing it: an object with queue, priority, of (the task or queue
-- whose rules judge it, null without rules) and rules, in their order: for each name, position, condition, points,
-- queue, enabled, matched, and looked_at, the facts that its condition names with their values.
-- options: those of enqueue_jobs, of which queue, priority, labels, origin and the defaults matter.
create or replace function holdfast.test_rules(task text, payload json, options jsonb default '{}')
returns jsonb
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_variable
declare
  at     constant timestamptz := holdfast.now();
  own    constant record := holdfast.read_columns(options, null, null);
  o      record;
  place  record;
  judged record;
  facts  jsonb;
begin
  perform holdfast.check_object('options', options);
  perform holdfast.check_enqueue(array[task], array[payload], options, false);
  select * into o from holdfast.read_option(options, at);
  select array[p.queue] as queues, array[p.priority] as priorities, array[p.ruled_by] as ruled_by,
    array[case p.ruled_by when 'task' then task else p.queue end] as rule_owners, null::integer[] as places
  into place
  from holdfast.find_place(task, coalesce(o.queue, o.default_queue), o.endpoint, o."group", false) as p;
  if place.ruled_by[1] is null then
    return jsonb_build_object('queue', place.queues[1], 'of', null, 'rules', '[]'::jsonb,
      'priority', coalesce(o.priority, o.default_priority, place.priorities[1]));
  end if;
  select a.* into judged from holdfast.apply_rules(null, array[task], array[payload], o, own, place, at) as a;
  facts := holdfast.job_facts(payload, o.labels, task, place.queues[1], o.origin, at);
  return jsonb_build_object(
    'queue', coalesce(judged.queue, judged.queues[1], place.queues[1]),
    'priority', coalesce(judged.scores[1], o.priority),
    'of', place.ruled_by[1] || ' ' || place.rule_owners[1],
    'rules', (
      select jsonb_agg(jsonb_build_object('name', r.name, 'position', r.position, 'condition', r.condition,
        'points', r.points, 'queue', r.queue, 'enabled', r.is_enabled,
        'matched', holdfast.condition_holds(facts, r.path), 'looked_at', holdfast.facts_looked_at(facts, r.path))
        order by r.position, r.name)
      from holdfast.rules as r
      where r.kind = place.ruled_by[1] and r.owner = place.rule_owners[1]));
end
$$;
