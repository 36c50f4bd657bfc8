-- declared -> declared: adds a rule to a task or queue, or sets the given keys of it. kind: task or queue.
-- policy: condition (a jsonpath predicate over the facts of a job: payload, labels, task, queue, origin, size in bytes,
-- now, hour and weekday in UTC), points (-100 to 100, added to the score), queue (for jobs that match, if the caller
-- named none), position (the first match with a queue decides), enabled. A new rule needs a condition, and points or a
-- queue. A job is judged when it is enqueued: by the rules of its task if it has any, else by those of its queue.
-- Returns the settings that changed, with their values before and after. The audit trail gets one event with these, the
-- reason, the actor and the login.
create or replace function holdfast.set_rule(
  kind text, owner text, name text, policy jsonb, reason text default null, actor text default null
)
returns table (setting text, before jsonb, after jsonb)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_variable
declare
  known constant text[] := array['condition', 'points', 'queue', 'position', 'enabled'];
  p     jsonb;
  was   jsonb;
begin
  perform holdfast.check_object('policy', policy);
  if not coalesce(policy, '{}') - known = '{}' then
    perform holdfast.refuse('HF002',
      format('A rule has no setting %s.', (select min(k) from jsonb_object_keys(policy - known) as k)),
      'Use condition, points, queue, position, enabled.');
  end if;
  perform holdfast.refuse_reserved(policy ->> 'queue');
  perform holdfast.hold_rules(kind, owner);
  was := holdfast.rule_settings(kind, owner, name);
  p := coalesce(was, jsonb_build_object('enabled', true, 'position', (
    select coalesce(max(r.position), 0) + 10 from holdfast.rules as r where r.kind = set_rule.kind
      and r.owner = set_rule.owner))) || coalesce(policy, '{}');
  perform holdfast.check_condition(p ->> 'condition');
  insert into holdfast.rules as r (kind, owner, name, position, condition, points, queue, is_enabled)
  values (kind, owner, name, (p ->> 'position')::integer, p ->> 'condition', (p ->> 'points')::smallint, p ->> 'queue',
    (p ->> 'enabled')::boolean)
  on conflict on constraint rules_pkey do update
  set position = excluded.position, condition = excluded.condition, points = excluded.points, queue = excluded.queue,
      is_enabled = excluded.is_enabled;
  perform holdfast.mark_rules(kind, owner);
  if p ->> 'queue' is not null then
    -- Here, not in the transaction of the first job that goes there.
    perform holdfast.declare_queue(p ->> 'queue');
  end if;
  return query
    select * from holdfast.record_change('set_rule', 'rule', format('%s of %s %s', name, kind, owner), was,
      holdfast.rule_settings(kind, owner, name), reason, actor);
exception
  when check_violation or not_null_violation or invalid_text_representation or numeric_value_out_of_range then
    raise exception using
      errcode = 'HF002',
      message = format('A setting of the rule %s is out of range: %s.', name, holdfast.setting_problem(sqlerrm)),
      hint = 'A rule needs a name, a condition and an effect: points from -100 to 100, a queue, or both. position must'
        ' be an integer, and enabled true or false.';
end
$$;
