-- declared -> declared: sets the given keys of the rules of a task or queue as a whole. kind: task or queue.
-- policy: base (0 to 100, the priority to which points are added; null: the one that the job would have without rules),
-- overrides (true: the score replaces a priority that the caller gave). Both have an effect while a rule is enabled.
-- Returns the settings that changed, with their values before and after. The audit trail gets one event with these, the
-- reason, the actor and the login.
create or replace function holdfast.set_rule_set(
  kind text, owner text, policy jsonb, reason text default null, actor text default null
)
returns table (setting text, before jsonb, after jsonb)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_variable
declare
  known constant text[] := array['base', 'overrides'];
  was   jsonb;
  p     jsonb;
begin
  perform holdfast.check_object('policy', policy);
  if not coalesce(policy, '{}') - known = '{}' then
    perform holdfast.refuse('HF002',
      format('A set of rules has no setting %s.', (select min(k) from jsonb_object_keys(policy - known) as k)),
      'Its settings are base and overrides.');
  end if;
  perform holdfast.hold_rules(kind, owner);
  select jsonb_build_object('base', s.base, 'overrides', s.overrides) into was
  from holdfast.rule_sets as s where s.kind = set_rule_set.kind and s.owner = set_rule_set.owner;
  p := was || coalesce(policy, '{}');
  update holdfast.rule_sets as s
  set base = (p ->> 'base')::smallint, overrides = coalesce((p ->> 'overrides')::boolean, false)
  where s.kind = set_rule_set.kind and s.owner = set_rule_set.owner;
  return query
    select c.* from holdfast.rule_sets as s
    cross join lateral holdfast.record_change('set_rule_set', 'rules', format('%s %s', kind, owner), was,
      jsonb_build_object('base', s.base, 'overrides', s.overrides), reason, actor) as c
    where s.kind = set_rule_set.kind and s.owner = set_rule_set.owner;
exception
  when check_violation or invalid_text_representation or numeric_value_out_of_range then
    raise exception using
      errcode = 'HF002',
      message = format('A setting of the rules of the %s %s is out of range: %s.', kind, owner,
        holdfast.setting_problem(sqlerrm)),
      hint = 'base must be null or an integer from 0 to 100; overrides must be true or false.';
end
$$;
