-- declared -> (nothing): removes a rule of a task or queue; false if there is none of that name.
-- The audit trail gets one event with the settings that it had, the reason, the actor and the login.
create or replace function holdfast.remove_rule(
  kind text, owner text, name text, reason text default null, actor text default null
)
returns boolean
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
as $$
#variable_conflict use_variable
declare
  was jsonb;
begin
  if not exists (select from holdfast.rule_sets as s where s.kind = remove_rule.kind and s.owner = remove_rule.owner)
  then
    return false;
  end if;
  perform holdfast.hold_rules(kind, owner);
  was := holdfast.rule_settings(kind, owner, name);
  delete from holdfast.rules as r
  where r.kind = remove_rule.kind and r.owner = remove_rule.owner and r.name = remove_rule.name;
  perform holdfast.mark_rules(kind, owner);
  perform holdfast.record_change('remove_rule', 'rule', format('%s of %s %s', name, kind, owner), was, null, reason,
    actor);
  return was is not null;
end
$$;
